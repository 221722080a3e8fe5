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
