/* SPDX-License-Identifier: Apache-2.0 */
#include "ipam.h"

#include "base/log.h"
#include "cni/delegate.h"

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

int ipam_add(const struct cni_call *call, struct cni_result *ret, struct err *e)
{
	json_auto_t *answer = NULL;
	int r;

	if (!call->conf.ipam)
		return 0;
	r = cni_delegate(&call->env, ipam_type(call->conf.root), call->conf.root, &answer, e);
	if (!r)
		r = cni_result_parse(answer, call->conf.version, ret, e);
	if (!r && !ret->ip_count)
		r = err_set(e, CNI_ERR_DECODE, 0, "ipam: %s returned no address",
			    ipam_type(call->conf.root));
	return r;
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

int ipam_release(const struct record *record, struct err *e)
{
	const char *type = ipam_type(record->conf);
	struct cni_env env = record->env;
	int r;

	if (!type || !*type)
		return 0;
	env.verb = CNI_VERB_DEL;
	r = cni_delegate(&env, type, record->conf, NULL, e);
	if (!r || !is_for_ever(e->code))
		return r;
	log_warning("VF %s: its addresses are not released: %s", record->bdf, e->msg);
	return 0;
}
