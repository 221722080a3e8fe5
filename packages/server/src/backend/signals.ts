export type SignalTopic =
  | ReadTopic
  | 'attempts'
  | 'breakers'
  | 'changes'
  | 'inspector'
  | 'lanes'
  | 'pauses'
  | 'purges'
  | 'replicas'
  | 'statistics'

/** Topics whose messages go only to nodes that read them. */
export type ReadTopic = 'activity' | 'counts'

/**
 * Messages and requests between nodes, so that each node can show the state of the whole service.
 * Not durable: a node receives messages only while it is connected. Messages and responses are
 * plain data of at most 8 MiB as JSON. Each `on…` method returns a function that removes the
 * listener.
 */
export interface Signals {
  publish(topic: SignalTopic, message: object): void
  onMessage(topic: SignalTopic, listener: (message: unknown) => void): () => void
  /** Calls `listener` when messages may be missing because a node was disconnected. */
  onMissed(listener: () => void): () => void
  /** Resolves to the responses from other live nodes: when all have responded, or after half a second. */
  request(topic: SignalTopic, request: object): Promise<readonly unknown[]>
  onRequest(topic: SignalTopic, respond: (request: unknown) => Promise<object>): () => void
  /** Receives the messages on a topic, until the result is disposed of. */
  read(topic: ReadTopic): Disposable
  /** Calls `listener` when the first other node begins to read, immediately if one already does, and when the last one stops. */
  onRead(topic: ReadTopic, listener: (isRead: boolean) => void): () => void
}
