/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/outcome.h"

#include "base/cleanup.h"
#include "cni/field.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>

static bool has_output(enum cni_verb verb)
{
	return verb == CNI_VERB_ADD || verb == CNI_VERB_VERSION;
}

/* Pass its error object on; false when @output is none. */
static bool error_pass_on(const char *type, json_t *output, struct err *e)
{
	const struct field_of of = { output, "", CNI_ERR_DECODE };
	json_int_t code = json_integer_value(json_object_get(output, "code"));
	const char *msg = "", *details = "";
	struct err bad;

	if (code <= 0 || code > INT_MAX || field_str(&of, "msg", &msg, &bad) ||
	    field_str(&of, "details", &details, &bad))
		return false;
	err_set(e, (int)code, 0, "%s: %s", type, msg);
	err_details(e, "%s", details);
	return true;
}

int outcome_judge(enum cni_verb verb, const char *type, int status, const struct input *printed,
		  json_t **ret_result, struct err *e)
{
	json_error_t why = { .text = "it printed nothing" };
	json_auto_t *output = NULL;

	if (WIFSIGNALED(status))
		return err_set(e, CNI_ERR_IO, 0, "plugin %s was ended by signal %d (%s)", type,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (printed->len)
		output = json_loadb(printed->data, printed->len, 0, &why);
	if (status && error_pass_on(type, output, e))
		return -EINVAL;
	if (status)
		return err_set(e, CNI_ERR_DECODE, 0,
			       "plugin %s ended with status %d, and without an error object", type,
			       WEXITSTATUS(status));
	if (has_output(verb) && !json_is_object(output))
		return err_set(e, CNI_ERR_DECODE, 0, "plugin %s gave no result for %s: %s", type,
			       cni_verb_name(verb), output ? "not an object" : why.text);
	if (ret_result)
		*ret_result = has_output(verb) ? take_ptr(output) : NULL;
	return 0;
}
