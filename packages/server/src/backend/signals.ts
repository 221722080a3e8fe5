/** Topics of the messages and questions between nodes. */
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
 * Messages and questions between nodes, so that each of them shows the whole service. Nothing is durable: a node receives the
 * messages that are sent while it is connected. Messages and answers are plain data of at most 8 MiB as JSON.
 */
export interface Signals {
  /** Sends a message to all other nodes. Does not wait. */
  tell(topic: SignalTopic, message: object): void
  /** Calls `listener` for each message of other nodes. Returns the function that ends it. */
  onTold(topic: SignalTopic, listener: (message: unknown) => void): () => void
  /**
   * Calls `listener` when messages of other nodes may be missing, because this node or another one was disconnected. Returns
   * the function that ends it.
   */
  onMissed(listener: () => void): () => void
  /** Resolves to the answers of the other nodes that are alive: when all have answered, or after half a second. */
  ask(topic: SignalTopic, question: object): Promise<readonly unknown[]>
  /** Answers the questions of other nodes. Returns the function that ends it. */
  onAsked(topic: SignalTopic, answer: (question: unknown) => Promise<object>): () => void
  /** Receives the messages of a topic, until the result is disposed of. */
  read(topic: ReadTopic): Disposable
  /**
   * Calls `listener` when the first other node begins to read, at once if one reads already, and when the last one has ended.
   * Returns the function that ends it.
   */
  onRead(topic: ReadTopic, listener: (isRead: boolean) => void): () => void
}
