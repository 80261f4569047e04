/* JUnit's XML, as Jenkins, GitLab and others read it: one suite, a case per check. */
#include "report/report.h"

static void print_attribute(FILE *out, const char *name, const char *value)
{
    struct str s = {0};
    str_add_xml(&s, value);
    fprintf(out, " %s=\"%s\"", name, str_get(&s));
    str_release(&s);
}

static void print_wrong(const struct outcome *o, const char *element, FILE *out)
{
    struct str text = {0};
    fprintf(out, "      <%s", element);
    print_attribute(out, "type", o->error_kind ? o->error_kind : outcome_word(o->kind));
    print_attribute(out, "message", o->verdict);
    if (o->expected) str_printf(&text, "expected: %s\n", o->expected);
    if (o->location) str_printf(&text, "at %s\n", o->location);
    struct str escaped = {0};
    str_add_xml(&escaped, str_get(&text));
    fprintf(out, ">%s</%s>\n", str_get(&escaped), element);
    str_release(&escaped);
    str_release(&text);
}

static void print_case(const struct outcome *o, bool no_times, FILE *out)
{
    fputs("    <testcase classname=\"heddle\"", out);
    print_attribute(out, "name", o->name);
    print_attribute(out, "file", o->file);
    fprintf(out, " time=\"%.3f\"", no_times ? 0 : o->seconds);
    fputs(">\n", out);
    switch (o->kind) {
    case OUTCOME_FAILED: print_wrong(o, "failure", out); break;
    case OUTCOME_UNKNOWN:
    case OUTCOME_BROKEN: print_wrong(o, "error", out); break;
    case OUTCOME_KNOWN: fputs("      <skipped message=\"fails, and is known to\"/>\n", out); break;
    default: break;
    }
    fputs("    </testcase>\n", out);
}

void report_junit(const struct outcomes *o, bool no_times, FILE *out)
{
    size_t count[OUTCOME_KINDS] = {0};
    double seconds = 0;
    for (size_t i = 0; i < o->len; i++) {
        count[o->at[i].kind]++;
        seconds += o->at[i].seconds;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    fprintf(
        out,
        "  <testsuite name=\"heddle\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
        o->len, count[OUTCOME_FAILED], count[OUTCOME_UNKNOWN] + count[OUTCOME_BROKEN], count[OUTCOME_KNOWN],
        no_times ? 0 : seconds);
    for (size_t i = 0; i < o->len; i++) print_case(&o->at[i], no_times, out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
