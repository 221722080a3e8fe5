/** What a node does: everything, or one part of it. */
export type NodeRole = 'all' | 'ingest' | 'deliver' | 'api'

/** A process that serves a part of the service. */
export interface ServiceNode {
  readonly id: string
  readonly version: string
  readonly role: NodeRole
  /** When it joined, in milliseconds since the epoch. */
  readonly startedAt: number
  /** When its last heartbeat was stored. */
  readonly seenAt: number
  /** Whether it has given a sign of life in the last seconds. */
  readonly isAlive: boolean
}

/** The nodes of the service. */
export interface Nodes {
  /** The id of this node: another one after each start. */
  readonly id: string
  /**
   * The nodes that are alive, and those that have died in the last ten minutes, as the last heartbeat of this node found them: by
   * their ids, at most 200. Without the database it stays as it was.
   */
  readonly current: readonly ServiceNode[]
  /** Calls `listener` after nodes have come or gone. Returns the function that ends it. */
  onChange(listener: () => void): () => void
  /** This node is one of them, until the result is disposed of: then it leaves at once. */
  join(node: Pick<ServiceNode, 'version' | 'role'>): Promise<AsyncDisposable>
}

/** Whether a node with this role delivers events. */
export function delivers({ role }: Pick<ServiceNode, 'role'>): boolean {
  return role === 'all' || role === 'deliver'
}

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

/** A key that the service makes for itself: `receipts` signs the receipts of deletions. */
export type OwnKeyName = 'receipts'

/** Keys that the service makes when they are first used, the same on all nodes. */
export interface OwnKeys {
  /** The key with this name. Where there is none, keeps the one that `make` returns; it is durable when this resolves. */
  keyOf(name: OwnKeyName, make: () => string): Promise<string>
}
