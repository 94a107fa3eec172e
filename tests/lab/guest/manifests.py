# SPDX-License-Identifier: Apache-2.0
"""What a cluster makes of manifests, for the tests of conf-examples/kubernetes.

manifests.py render FILE        the NetworkAttachmentDefinition that sriov-network-operator makes of an object
manifests.py networks FILE...   the networks of the pods in the files, as Multus and dra-driver-sriov read them:
                                a JSON object a line {pod, ifname, config, dra}
manifests.py readme README RENDERED   do the README's manifests belong to each other and to the network that it names?
"""
import json
import re
import sys
import textwrap

import yaml

# its environment variable RESOURCE_PREFIX, as NVIDIA's network operator sets it
RESOURCE_PREFIX = "nvidia.com"
NETWORKS = "k8s.v1.cni.cncf.io/networks"


def documents(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield from yaml.safe_load_all(file)


def sriov_keys(spec):
    """api/v1/helper.go: values outside of a list are left out, numbers are always written unless they are unset."""
    yield f'"vlan":{spec.get("vlan", 0)}'
    for key, name, words in (("spoofChk", "spoofchk", ("on", "off")), ("trust", "trust", ("on", "off"))):
        if spec.get(key) in words:
            yield f'"{name}":"{spec[key]}"'
    if 0 <= spec.get("vlanQoS", 0) <= 7:
        yield f'"vlanQoS":{spec.get("vlanQoS", 0)}'
    if spec.get("vlanProto"):
        yield f'"vlanProto":"{spec["vlanProto"]}"'
    for key, name in (("minTxRate", "min_tx_rate"), ("maxTxRate", "max_tx_rate")):
        if spec.get(key, -1) >= 0:
            yield f'"{name}":{spec[key]}'


def render(obj):
    spec, name = obj["spec"], obj["metadata"]["name"]
    ethernet = obj["kind"] == "SriovNetwork"
    keys = [f'"type":"{"sriov" if ethernet else "ib-sriov"}"']
    keys += sriov_keys(spec) if ethernet else []
    if spec.get("capabilities"):
        keys.append(f'"capabilities":{spec["capabilities"]}')
    if spec.get("linkState") in ("auto", "enable", "disable"):
        keys.append(f'"link_state":"{spec["linkState"]}"')
    for key in ("logLevel", "logFile"):
        if ethernet and spec.get(key):
            keys.append(f'"{key}":"{spec[key]}"')
    plugin = ",".join(keys) + ',"ipam":' + ("".join(spec.get("ipam", "").split()) or "{}")
    meta = spec.get("metaPlugins")
    # the template's line ends become spaces, as it is a YAML string in quotes
    config = f'{{ "cniVersion":"1.0.0", "name":"{name}",'
    config += f'"plugins": [ {{{plugin} }}, {meta} ] }}' if meta else f'{plugin} }}'
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {
            "name": name,
            "namespace": spec.get("networkNamespace") or obj["metadata"]["namespace"],
            "annotations": {"k8s.v1.cni.cncf.io/resourceName": f'{RESOURCE_PREFIX}/{spec["resourceName"]}'},
        },
        "spec": {"config": config},
    }


def annotated(text):
    """The annotation's two forms: names, or a list of objects; an interface's name is netN by default."""
    items = json.loads(text) if text.lstrip().startswith("[") else [{"name": n.strip()} for n in text.split(",")]
    for number, item in enumerate(items, 1):
        yield item["name"], item.get("interface", f"net{number}")


def claimed(pod, templates):
    for claim in pod["spec"].get("resourceClaims", []):
        devices = templates[claim["resourceClaimTemplateName"]]["spec"]["spec"]["devices"]
        requests = {r["name"] for r in devices["requests"]}
        for constraint in devices["constraints"]:
            assert set(constraint["requests"]) <= requests
            assert constraint["matchAttribute"] == "resource.kubernetes.io/pcieRoot"
        for config in devices["config"]:
            parameters = config["opaque"]["parameters"]
            assert set(config["requests"]) <= requests and parameters["kind"] == "VfConfig"
            yield parameters["netAttachDefName"], parameters["ifName"]


def networks(paths):
    objects = list(documents(paths))
    by_kind = lambda kind: {o["metadata"]["name"]: o for o in objects if o["kind"] == kind}
    configs, templates = by_kind("NetworkAttachmentDefinition"), by_kind("ResourceClaimTemplate")
    for obj in objects:
        pod = obj["spec"]["template"] if obj["kind"] == "Deployment" else obj
        if obj["kind"] not in ("Deployment", "Pod"):
            continue
        assert "runtimeClassName" not in pod["spec"]
        text = pod["metadata"].get("annotations", {}).get(NETWORKS)
        wanted = [(n, i, False) for n, i in annotated(text)] if text else []
        wanted += [(n, i, True) for n, i in claimed(pod, templates)]
        limits = pod["spec"]["containers"][0]["resources"].get("limits", {})
        assert not text or int(limits["nvidia.com/sriov_rdma"]) == len(wanted)
        for name, ifname, dra in wanted:
            config = json.loads(configs[name]["spec"]["config"])
            print(json.dumps({"pod": obj["metadata"]["name"], "ifname": ifname, "config": config, "dra": dra}))


def readme(path, rendered):
    with open(path, encoding="utf-8") as file:
        blocks = re.findall(r"^   ```yaml\n(.*?)^   ```$", file.read(), re.DOTALL | re.MULTILINE)
    objects = {o["kind"]: o for block in blocks for o in yaml.safe_load_all(textwrap.dedent(block))}
    network = next(documents([rendered]))
    resource = network["metadata"]["annotations"]["k8s.v1.cni.cncf.io/resourceName"]
    pod, policy = objects["Pod"], objects["SriovNetworkNodePolicy"]["spec"]
    assert objects["SriovNetworkPoolConfig"]["spec"]["rdmaMode"] == "exclusive"
    assert pod["metadata"]["annotations"][NETWORKS] == network["metadata"]["name"]
    assert network["metadata"]["namespace"] == pod["metadata"].get("namespace", "default")
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {resource: 1}
    assert f'{RESOURCE_PREFIX}/{policy["resourceName"]}' == resource and policy["isRdma"]


if __name__ == "__main__":
    if sys.argv[1] == "render":
        for document in documents(sys.argv[2:]):
            print("---")
            yaml.safe_dump(render(document), sys.stdout, sort_keys=False, width=10000)
    elif sys.argv[1] == "readme":
        readme(*sys.argv[2:])
    else:
        networks(sys.argv[2:])
