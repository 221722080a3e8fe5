type NodeRole = 'all' | 'ingest' | 'deliver' | 'api'

export interface ServiceNode {
  readonly id: string
  readonly version: string
  readonly role: NodeRole
  readonly startedAt: number
  readonly seenAt: number
  readonly isAlive: boolean
}

export interface Nodes {
  /** The id of this node, which changes with each start. */
  readonly id: string
  /** At most 200 nodes that are alive or died in the last ten minutes, as of this node's last heartbeat. */
  readonly current: readonly ServiceNode[]
  /**
   * Calls `listener` after nodes have joined or left. Returns a function that removes the listener.
   */
  onChange(listener: () => void): () => void
  join(node: Pick<ServiceNode, 'version' | 'role'>): Promise<AsyncDisposable>
}

export function hasDeliveryRole({ role }: Pick<ServiceNode, 'role'>): boolean {
  return role === 'all' || role === 'deliver'
}

/** Work that only one node does at a time. */
export type LeaseName =
  'alerts' | 'audiences' | 'deletions' | 'event-names' | 'replays' | 'retention'

/** The exclusive right of this node to do some work, until it is disposed of. */
export interface Lease extends AsyncDisposable {
  /** Aborts when the lease could not be renewed in time. Another node may then have the lease. */
  readonly lost: AbortSignal
}

export interface Leases {
  /**
   * Resolves when this node has the lease, or to `undefined` when `signal` aborts first. The workers of a node share it until the
   * last one disposes of it. A dead node loses its leases within 30 s. A suspended node notices the loss late, so the work must
   * be safe if two nodes do it for a moment.
   */
  acquire(name: LeaseName, signal: AbortSignal): Promise<Lease | undefined>
}

/** `receipts` signs the receipts of deletions. */
export type OwnKeyName = 'receipts'

/** Keys that the service generates on first use, the same on all nodes. */
export interface OwnKeys {
  /** The key with this name. Stores the result of `make` on first use. */
  keyOf(name: OwnKeyName, make: () => string): Promise<string>
}
