/* SPDX-License-Identifier: Apache-2.0 */
#include "ipam.h"

#include "base/log.h"

static const char *ipam_type(json_t *conf)
{
	return json_string_value(json_object_get(json_object_get(conf, "ipam"), "type"));
}

int ipam_find(const struct cni_call *call, struct err *e)
{
	char file[PATH_MAX];
	int r;

	if (!call->conf.ipam)
		return 0;
	r = cni_delegate_find(call->env.path, ipam_type(call->conf.root), file, e);
	if (r)
		err_prefix(e, "ipam.type");
	return r;
}

int ipam_add_start(const struct cni_call *call, struct ipam *ret, struct err *e)
{
	int r;

	if (!call->conf.ipam)
		return 0;
	r = cni_delegate_start(&call->env, ipam_type(call->conf.root), call->conf.root,
			       &ret->delegate, e);
	ret->runs = !r;
	return r;
}

static int finish(struct ipam *ipam, json_t **ret_answer, struct err *e)
{
	ipam->runs = false;
	return cni_delegate_finish(&ipam->delegate, ret_answer, e);
}

int ipam_add_finish(struct ipam *ipam, const struct cni_call *call, struct cni_result *ret,
		    struct err *e)
{
	json_auto_t *answer = NULL;
	int r;

	if (!ipam->runs)
		return 0;
	r = finish(ipam, &answer, e);
	if (!r)
		r = cni_result_parse(answer, call->conf.version, ret, e);
	if (!r && !ret->ip_count)
		r = err_set(e, CNI_ERR_DECODE, 0, "ipam: %s returned no address",
			    ipam_type(call->conf.root));
	return r;
}

void ipam_abandon(struct ipam *ipam)
{
	struct err ignored;

	if (ipam->runs)
		finish(ipam, NULL, &ignored);
}

int ipam_forward(const struct cni_call *call, struct err *e)
{
	if (!call->conf.ipam)
		return 0;
	return cni_delegate(&call->env, ipam_type(call->conf.root), call->conf.root, NULL, e);
}

static bool is_for_ever(int code)
{
	return code == CNI_ERR_VERSION || code == CNI_ERR_FIELD || code == CNI_ERR_ENV ||
	       code == CNI_ERR_DECODE || code == CNI_ERR_CONFIG;
}

static int judge_release(const struct record *record, int r, struct err *e)
{
	if (!r || !is_for_ever(e->code))
		return r;
	log_warning("VF %s: its addresses are not released: %s", record->bdf, e->msg);
	return 0;
}

int ipam_release_start(const struct record *record, struct ipam *ret, struct err *e)
{
	const char *type = ipam_type(record->conf);
	struct cni_env env = record->env;
	int r;

	if (!type || !*type)
		return 0;
	env.verb = CNI_VERB_DEL;
	r = cni_delegate_start(&env, type, record->conf, &ret->delegate, e);
	ret->runs = !r;
	return judge_release(record, r, e);
}

int ipam_release_finish(struct ipam *ipam, const struct record *record, struct err *e)
{
	return ipam->runs ? judge_release(record, finish(ipam, NULL, e), e) : 0;
}
