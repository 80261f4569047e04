# One page of page.html, page.css and the modules: awk -f assemble.awk page.html. The modules become one script, so they import
# only from each other, in this order, and no two of them have a name in common.
function insert(path,   line) {
    while ((getline line < path) > 0) print line
    close(path)
}
function insert_module(path,   line, importing) {
    while ((getline line < path) > 0) {
        if (line ~ /^import /) importing = 1
        if (!importing) { sub(/^export /, "", line); print line }
        if (line ~ /;$/) importing = 0
    }
    close(path)
}
BEGIN { here = ARGV[1]; sub(/[^\/]*$/, "", here) }
/^@STYLE@$/ { insert(here "page.css"); next }
/^@SCRIPT@$/ { insert_module(here "model.mjs"); insert_module(here "layout.mjs"); insert_module(here "view.mjs"); insert_module(here "main.mjs"); next }
{ print }
