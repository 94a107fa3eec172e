// SPDX-License-Identifier: GPL-2.0
/*
 * fakehca - makes any SR-IOV function of PCI an InfiniBand HCA's, control plane only
 *
 * It takes a PF and its VFs by driver_override, as mlx5_core would, so that all above the HCA is the kernel's own:
 * ib_core, ib_uverbs, and IPoIB with its interfaces of 20-byte addresses, of which the PF's grants the VFs' settings.
 * A VF reads its GUIDs from its PF when the driver is bound, and at no other time.  What is sent vanishes.  There is no
 * subnet manager, so IPoIB never has a carrier.
 */
#include <linux/if_link.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#define MAX_VFS 8
#define RQ_SIZE 4096

static int fail_probes; /* so many of the next bindings fail */
module_param(fail_probes, int, 0644);

struct hca_vf {
	u64 node_guid, port_guid;
	int link_state;
};

struct hca {
	struct ib_device ib;
	struct hca *pf; /* of a VF */
	int index; /* likewise */
	u64 node_guid, port_guid; /* since it was bound */
	struct hca_vf vfs[MAX_VFS]; /* a PF's */
};

struct hca_cq {
	struct ib_cq ib;
	spinlock_t lock;
	struct list_head wcs;
	struct work_struct work;
};
struct hca_wc {
	struct list_head list;
	struct ib_wc wc;
};
struct hca_qp {
	struct ib_qp ib;
	spinlock_t lock;
	struct ib_qp_attr attr;
	unsigned int head, tail;
	struct ib_cqe *posted[RQ_SIZE]; /* or wr_id, which is a union with it */
};
struct hca_pd {
	struct ib_pd ib;
};
struct hca_ah {
	struct ib_ah ib;
};
struct hca_uctx {
	struct ib_ucontext ib;
};

static struct hca *to_hca(struct ib_device *ib)
{
	return container_of(ib, struct hca, ib);
}
static struct hca_cq *to_cq(struct ib_cq *ib)
{
	return container_of(ib, struct hca_cq, ib);
}
static struct hca_qp *to_qp(struct ib_qp *ib)
{
	return container_of(ib, struct hca_qp, ib);
}

/* --- device and port ----------------------------------------------------------------------------------- */

static int hca_query_device(struct ib_device *ib, struct ib_device_attr *a, struct ib_udata *udata)
{
	a->sys_image_guid = ib->node_guid;
	a->max_pd = a->max_qp = a->max_cq = a->max_mr = a->max_ah = 1024;
	a->max_qp_wr = a->max_cqe = RQ_SIZE;
	a->max_send_sge = a->max_recv_sge = 4;
	a->max_mr_size = ~0ull;
	a->max_pkeys = 1;
	a->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	if (to_hca(ib)->pf)
		a->kernel_cap_flags |= IBK_VIRTUAL_FUNCTION;
	return 0;
}

static int hca_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *a)
{
	struct hca *h = to_hca(ib);
	bool down = h->pf && h->pf->vfs[h->index].link_state == IFLA_VF_LINK_STATE_DISABLE;

	a->state = down ? IB_PORT_DOWN : IB_PORT_ACTIVE;
	a->phys_state = down ? IB_PORT_PHYS_STATE_DISABLED : IB_PORT_PHYS_STATE_LINK_UP;
	a->max_mtu = a->active_mtu = IB_MTU_2048;
	a->gid_tbl_len = a->pkey_tbl_len = 1;
	a->max_msg_sz = 1 << 20;
	a->lid = a->sm_lid = 1;
	a->max_vl_num = 1;
	a->active_width = IB_WIDTH_4X;
	a->active_speed = IB_SPEED_HDR;
	return 0;
}

static int hca_modify_port(struct ib_device *ib, u32 port, int mask, struct ib_port_modify *m)
{
	return 0;
}

static int hca_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *im)
{
	im->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	im->gid_tbl_len = im->pkey_tbl_len = 1;
	im->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int hca_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ull);
	gid->global.interface_id = cpu_to_be64(to_hca(ib)->port_guid);
	return index ? -EINVAL : 0;
}

static int hca_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = IB_DEFAULT_PKEY_FULL;
	return index ? -EINVAL : 0;
}

static enum rdma_link_layer hca_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

/* --- what the PF grants: IPoIB's netdev of the PF passes it on --------------------------------------------- */

static struct hca_vf *vf_of(struct ib_device *ib, int vf)
{
	return vf >= 0 && vf < MAX_VFS ? &to_hca(ib)->vfs[vf] : NULL;
}

static int hca_get_vf_config(struct ib_device *ib, int vf, u32 port, struct ifla_vf_info *info)
{
	if (!vf_of(ib, vf))
		return -EINVAL;
	memset(info, 0,
	       sizeof(*info)); /* as mlx5_ib has it, and so the VF's number is 0 until rtnetlink sets it */
	info->linkstate = vf_of(ib, vf)->link_state;
	return 0;
}

static int hca_set_vf_link_state(struct ib_device *ib, int vf, u32 port, int state)
{
	if (!vf_of(ib, vf))
		return -EINVAL;
	vf_of(ib, vf)->link_state = state;
	return 0;
}

static int hca_get_vf_guid(struct ib_device *ib, int vf, u32 port, struct ifla_vf_guid *node,
			   struct ifla_vf_guid *port_guid)
{
	if (!vf_of(ib, vf))
		return -EINVAL;
	node->guid = vf_of(ib, vf)->node_guid;
	port_guid->guid = vf_of(ib, vf)->port_guid;
	return 0;
}

static int hca_set_vf_guid(struct ib_device *ib, int vf, u32 port, u64 guid, int type)
{
	if (!vf_of(ib, vf) || !guid)
		return -EINVAL;
	if (type == IFLA_VF_IB_NODE_GUID)
		vf_of(ib, vf)->node_guid = guid;
	else
		vf_of(ib, vf)->port_guid = guid;
	return 0;
}

/* --- queues ---------------------------------------------------------------------------------------------- */

static void cq_tell(struct work_struct *work)
{
	struct hca_cq *cq = container_of(work, struct hca_cq, work);

	cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

static void cq_add(struct hca_cq *cq, struct ib_qp *qp, struct ib_cqe *cqe,
		   enum ib_wc_opcode opcode, enum ib_wc_status status)
{
	struct hca_wc *c = kzalloc(sizeof(*c), GFP_ATOMIC);
	unsigned long flags;

	if (!c)
		return;
	c->wc.wr_cqe = cqe;
	c->wc.qp = qp;
	c->wc.opcode = opcode;
	c->wc.status = status;
	spin_lock_irqsave(&cq->lock, flags);
	list_add_tail(&c->list, &cq->wcs);
	spin_unlock_irqrestore(&cq->lock, flags);
	/* whoever posts may hold what the handler takes, and IPoIB's wants to be in a softirq */
	queue_work(system_bh_wq, &cq->work);
}

static int hca_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
			 struct uverbs_attr_bundle *attrs)
{
	struct hca_cq *cq = to_cq(ib);

	ib->cqe = attr->cqe;
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->wcs);
	INIT_WORK(&cq->work, cq_tell);
	return 0;
}

static int hca_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct hca_cq *cq = to_cq(ib);
	struct hca_wc *c, *next;

	cancel_work_sync(&cq->work);
	list_for_each_entry_safe(c, next, &cq->wcs, list) kfree(c);
	return 0;
}

static int hca_poll_cq(struct ib_cq *ib, int max, struct ib_wc *wc)
{
	struct hca_cq *cq = to_cq(ib);
	struct hca_wc *c, *next;
	unsigned long flags;
	int n = 0;

	spin_lock_irqsave(&cq->lock, flags);
	list_for_each_entry_safe(c, next, &cq->wcs, list)
	{
		if (n == max)
			break;
		wc[n++] = c->wc;
		list_del(&c->list);
		kfree(c);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

static int hca_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	return (flags & IB_CQ_REPORT_MISSED_EVENTS) && !list_empty(&to_cq(ib)->wcs);
}

static int hca_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	static atomic_t last = ATOMIC_INIT(0x100);

	spin_lock_init(&to_qp(ib)->lock);
	ib->qp_num = attr->qp_type == IB_QPT_SMI   ? 0
		     : attr->qp_type == IB_QPT_GSI ? 1
						   : atomic_inc_return(&last);
	return 0;
}

static void qp_flush(struct hca_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	while (qp->tail != qp->head)
		cq_add(to_cq(qp->ib.recv_cq), &qp->ib, qp->posted[qp->tail++ % RQ_SIZE], IB_WC_RECV,
		       IB_WC_WR_FLUSH_ERR);
	spin_unlock_irqrestore(&qp->lock, flags);
}

static int hca_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	struct hca_qp *qp = to_qp(ib);

	if (mask & IB_QP_STATE)
		qp->attr.qp_state = attr->qp_state;
	if ((mask & IB_QP_STATE) && attr->qp_state == IB_QPS_ERR)
		qp_flush(qp);
	if ((mask & IB_QP_STATE) && attr->qp_state == IB_QPS_RESET)
		qp->tail = qp->head;
	return 0;
}

static int hca_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			struct ib_qp_init_attr *init)
{
	*attr = to_qp(ib)->attr;
	return 0;
}

static int hca_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	return 0;
}

static int hca_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad)
{
	for (; wr; wr = wr->next)
		cq_add(to_cq(ib->send_cq), ib, wr->wr_cqe, IB_WC_SEND, IB_WC_SUCCESS);
	return 0;
}

static int hca_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	struct hca_qp *qp = to_qp(ib);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&qp->lock, flags);
	for (; wr && !err; wr = wr->next) {
		if (qp->head - qp->tail < RQ_SIZE) {
			qp->posted[qp->head++ % RQ_SIZE] = wr->wr_cqe;
		} else {
			*bad = wr;
			err = -ENOMEM;
		}
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (qp->attr.qp_state == IB_QPS_ERR) /* IPoIB drains a queue by posting to it */
		qp_flush(qp);
	return err;
}

/* --- what is only there to be had ------------------------------------------------------------------------------ */

static int hca_alloc_ucontext(struct ib_ucontext *u, struct ib_udata *udata)
{
	return 0;
}
static void hca_dealloc_ucontext(struct ib_ucontext *u)
{
}
static void hca_disassociate_ucontext(struct ib_ucontext *u)
{
} /* it can change namespace */
static int hca_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}
static int hca_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}
static int hca_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *a, struct ib_udata *u)
{
	return 0;
}
static int hca_destroy_ah(struct ib_ah *ah, u32 flags)
{
	return 0;
}
static struct ib_mr *hca_get_dma_mr(struct ib_pd *pd, int access)
{
	return kzalloc(sizeof(struct ib_mr), GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
}
static struct ib_mr *hca_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt, int access,
				     struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}
static int hca_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

static const struct ib_device_ops hca_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_SIW, /* libibverbs knows it; siw is not in Debian's kernels */
	.uverbs_abi_ver = 1,
	.query_device = hca_query_device,
	.query_port = hca_query_port,
	.modify_port = hca_modify_port,
	.get_port_immutable = hca_port_immutable,
	.query_gid = hca_query_gid,
	.query_pkey = hca_query_pkey,
	.get_link_layer = hca_link_layer,
	.get_vf_config = hca_get_vf_config,
	.set_vf_link_state = hca_set_vf_link_state,
	.get_vf_guid = hca_get_vf_guid,
	.set_vf_guid = hca_set_vf_guid,
	.create_cq = hca_create_cq,
	.destroy_cq = hca_destroy_cq,
	.poll_cq = hca_poll_cq,
	.req_notify_cq = hca_req_notify_cq,
	.create_qp = hca_create_qp,
	.modify_qp = hca_modify_qp,
	.query_qp = hca_query_qp,
	.destroy_qp = hca_destroy_qp,
	.post_send = hca_post_send,
	.post_recv = hca_post_recv,
	.alloc_ucontext = hca_alloc_ucontext,
	.dealloc_ucontext = hca_dealloc_ucontext,
	.disassociate_ucontext = hca_disassociate_ucontext,
	.alloc_pd = hca_alloc_pd,
	.dealloc_pd = hca_dealloc_pd,
	.create_ah = hca_create_ah,
	.destroy_ah = hca_destroy_ah,
	.get_dma_mr = hca_get_dma_mr,
	.reg_user_mr = hca_reg_user_mr,
	.dereg_mr = hca_dereg_mr,
	INIT_RDMA_OBJ_SIZE(ib_ah, hca_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, hca_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, hca_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, hca_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, hca_uctx, ib),
};

/* --- PCI --------------------------------------------------------------------------------------------------------- */

static void read_guids(struct hca *h, struct pci_dev *pdev)
{
	if (h->pf) {
		h->node_guid = h->pf->vfs[h->index].node_guid;
		h->port_guid = h->pf->vfs[h->index].port_guid;
	} else {
		h->node_guid = h->port_guid = 0x02fa4e0000000000ull | pci_dev_id(pdev);
	}
}

static int hca_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct hca *h;
	int err;

	if (fail_probes) {
		fail_probes--;
		return -EIO;
	}
	h = ib_alloc_device(hca, ib);
	if (!h)
		return -ENOMEM;
	if (pdev->is_virtfn) {
		h->pf = pci_get_drvdata(pci_physfn(pdev));
		h->index = pci_iov_vf_id(pdev);
	}
	err = -ENODEV; /* a VF of another driver's PF */
	if (pdev->is_virtfn &&
	    (pci_physfn(pdev)->dev.driver != pdev->dev.driver || h->index >= MAX_VFS))
		goto out;
	read_guids(h, pdev);
	h->ib.node_type = RDMA_NODE_IB_CA;
	h->ib.phys_port_cnt = 1;
	h->ib.num_comp_vectors = 1;
	h->ib.local_dma_lkey = 1;
	h->ib.node_guid = cpu_to_be64(h->node_guid);
	h->ib.dev.parent = &pdev->dev;
	strscpy(h->ib.node_desc, "fakehca", sizeof(h->ib.node_desc));
	ib_set_device_ops(&h->ib, &hca_ops);
	err = ib_register_device(&h->ib, "fakehca_%d", NULL);
	if (err)
		goto out;
	pci_set_drvdata(pdev, h);
	return 0;
out:
	ib_dealloc_device(&h->ib);
	return err;
}

static void hca_remove(struct pci_dev *pdev)
{
	struct hca *h = pci_get_drvdata(pdev);

	if (!pdev->is_virtfn)
		pci_disable_sriov(pdev);
	ib_unregister_device(&h->ib);
	ib_dealloc_device(&h->ib);
}

static struct pci_driver hca_driver = {
	.name = "fakehca",
	.probe = hca_probe,
	.remove = hca_remove,
	.sriov_configure = pci_sriov_configure_simple,
};
module_pci_driver(hca_driver);

MODULE_DESCRIPTION("fake InfiniBand HCA on any SR-IOV function (test only)");
MODULE_LICENSE("GPL");
