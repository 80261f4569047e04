#!/bin/sh
# Completion for a shell, from what `heddle help` prints: sh packaging/completion.sh HEDDLE bash|zsh|fish
set -eu
heddle=$1
commands=$("$heddle" help | sed -n 's/^  heddle \([a-z+]*\) .*/\1/p')
options() { "$heddle" help "$1" | sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | tr '\n' ' '; }
# "--name=a|b" in the help is a choice.
choices() { "$heddle" help "$1" | sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\)\[\{0,1\}=\([a-z0-9|-]*|[a-z0-9|-]*\).*/\2 \3/p'; }
words() { for c in $commands; do case $c in cc | c++ | help) ;; *) echo "$c" ;; esac; done; }

case $2 in
bash)
    echo '# bash completion for heddle'
    echo '_heddle() {'
    echo '    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='
    echo '    if [ "$COMP_CWORD" -eq 1 ]; then'
    echo "        COMPREPLY=(\$(compgen -W \"$(echo $commands)\" -- \"\$cur\"))"
    echo '        return'
    echo '    fi'
    echo '    case $command in'
    for c in $(words); do echo "    $c) options=\"$(options "$c")\" ;;"; done
    echo "    help) options=\"$(echo $commands)\" ;;"
    echo '    esac'
    echo '    case $command:${COMP_WORDS[COMP_CWORD-1]} in'
    for c in $(words); do
        choices "$c" | while read -r name values; do
            echo "    $c:$name) COMPREPLY=(\$(compgen -W \"$(echo "$values" | tr '|' ' ')\" -- \"\$cur\")); return ;;"
        done
    done
    echo '    esac'
    echo '    case $cur in'
    echo '    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;'
    echo '    *) COMPREPLY=($(compgen -f -- "$cur")) ;;'
    echo '    esac'
    echo '}'
    echo 'complete -o filenames -F _heddle heddle'
    ;;
zsh)
    echo '#compdef heddle'
    echo '_heddle() {'
    echo '    if (( CURRENT == 2 )); then'
    echo "        compadd $(echo $commands)"
    echo '        return'
    echo '    fi'
    echo '    case $words[2] in'
    for c in $(words); do echo "    $c) [[ \$words[CURRENT] == -* ]] && compadd -- $(options "$c") || _files ;;"; done
    echo "    help) compadd $(echo $commands) ;;"
    echo '    *) _files ;;'
    echo '    esac'
    echo '}'
    echo '_heddle "$@"'
    ;;
fish)
    echo '# fish completion for heddle'
    echo "complete -c heddle -n __fish_use_subcommand -f -a \"$(echo $commands)\""
    for c in $(words); do
        for o in $(options "$c"); do
            values=$(choices "$c" | sed -n "s/^$o //p" | tr '|' ' ')
            echo "complete -c heddle -n '__fish_seen_subcommand_from $c' -l ${o#--}${values:+ -x -a \"$values\"}"
        done
    done
    ;;
*)
    echo "usage: completion.sh HEDDLE bash|zsh|fish" >&2
    exit 2
    ;;
esac
