/** Work that one node does at a time. */
export type LeaseName = 'audiences' | 'deletions' | 'replays' | 'retention'

/** The right of this node to do a work. Disposing of it gives it up at once. */
export interface Lease extends AsyncDisposable {
  /** Aborts when the lease is lost, because this node could not renew it in time. Another node may have it then. */
  readonly lost: AbortSignal
}

/** The rights to do what one node does at a time, like retention. */
export interface Leases {
  /**
   * Resolves when this node has the lease, or to `undefined` when `signal` aborts first. Workers of one node share it: the node
   * has it until the last of them gives it up. A node that has died loses its leases within 30 s. Work that writes must bear
   * that two nodes do it for a moment: a node that slept learns of its loss when it wakes.
   */
  acquire(name: LeaseName, signal: AbortSignal): Promise<Lease | undefined>
}
