/* SPDX-License-Identifier: Apache-2.0 */
#include "conf_ib.h"

#include "base/inet.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What ib-kubernetes tells when it has given a pod its GUID and has told the subnet manager. */
#define IB_KUBERNETES_KEY  "mellanox.infiniband.app"
#define IB_KUBERNETES_DONE "configured"

static int parse_guid(const struct cni_call *call, struct attach_conf *c, struct err *e)
{
	const char *guid = "", *key = "runtimeConfig.infinibandGUID";
	int r = cni_json_str(call->conf.runtime, "runtimeConfig.", "infinibandGUID", &guid, e);

	if (!r && !*guid) {
		key = "args.cni.guid";
		r = cni_json_str(call->conf.args_cni, "args.cni.", "guid", &guid, e);
	}
	if (r || !*guid)
		return r;
	if (guid_parse(guid, &c->guid) || !c->guid)
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"%s: \"%s\" is not a GUID, xx:xx:xx:xx:xx:xx:xx:xx in hexadecimal digits and "
			"not zero",
			key, guid);
	c->guid_key = key;
	return 0;
}

/* IBTA 1.4, 10.9.1.1: 16 bits, of which the highest tells full from limited membership; 0 is no key. */
static bool is_pkey(const char *text)
{
	const char *digits = !strncasecmp(text, "0x", 2) ? text + 2 : text;
	size_t len = strspn(digits, "0123456789abcdefABCDEF");

	return len && len <= 4 && !digits[len] && strtoul(digits, NULL, 16);
}

static int check_pkey(json_t *root, struct err *e)
{
	const char *pkey = "";
	int r = cni_json_str(root, "", "pkey", &pkey, e);

	if (r || !*pkey || is_pkey(pkey))
		return r;
	return err_set(e, CNI_ERR_CONFIG, 0,
		       "pkey: \"%s\" is not a partition key, 0x1 to 0xffff in hexadecimal digits",
		       pkey);
}

static int check_ib_kubernetes(const struct cni_call *call, struct err *e)
{
	const char *status = "";
	bool enabled = false;
	int r = cni_json_bool(call->conf.root, "", "ibKubernetesEnabled", &enabled, e);

	if (r || !enabled || call->env.verb != CNI_VERB_ADD)
		return r;
	r = cni_json_str(call->conf.args_cni, "args.cni.", IB_KUBERNETES_KEY, &status, e);
	if (r || !strcmp(status, IB_KUBERNETES_DONE))
		return r;
	err_set(e, CNI_ERR_AGAIN, 0,
		"ibKubernetesEnabled: args.cni.\"" IB_KUBERNETES_KEY
		"\" is \"%s\", not \"" IB_KUBERNETES_DONE "\"",
		status);
	err_details(
		e,
		"ib-kubernetes has not given this pod its GUID: does it run, and reach the subnet "
		"manager?");
	return -EAGAIN;
}

static int parse_isolation(json_t *root, struct attach_conf *c, struct err *e)
{
	json_t *isolation = json_object_get(root, "rdmaIsolation"), *rdma = NULL;
	bool isolate = false;
	int r = cni_json_bool(root, "", "rdmaIsolation", &isolate, e);

	r = r ?: cni_json_object(root, "", "rdma", &rdma, e);
	if (r || c->name != NAME_OWN || !isolation || json_is_null(isolation))
		return r; /* under the name ib-sriov, default_rdma() has seen to it */
	if (json_object_get(rdma, "netnsMode"))
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"rdmaIsolation: %s and rdma.netnsMode say the same thing; give one of them",
			isolate ? "true" : "false");
	/* false leaves the device to whoever else may move it, e.g. rdma-cni, and the subsystem's mode alone */
	c->rdma_mode = isolate ? RDMA_EXCLUSIVE : RDMA_STAY;
	c->rdma_required |= isolate;
	return 0;
}

int conf_ib_parse(const struct cni_call *call, struct attach_conf *c, struct err *e)
{
	int r = parse_guid(call, c, e);

	r = r ?: check_pkey(call->conf.root, e);
	r = r ?: parse_isolation(call->conf.root, c, e);
	return r ?: check_ib_kubernetes(call, e);
}
