/** What nodes tell and ask each other about. */
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

/** Topics of which a message goes only to nodes that read them. */
export type ReadTopic = 'activity' | 'counts'

/**
 * What nodes tell and ask each other, so that each of them shows the whole service. Nothing of it is durable: a node hears
 * what is told while it is connected. What is told and answered is plain data of at most 8 MiB as JSON.
 */
export interface Signals {
  /** Tells all other nodes. Does not wait. */
  tell(topic: SignalTopic, message: object): void
  /** Calls `listener` for what other nodes tell. Returns the function that ends it. */
  onTold(topic: SignalTopic, listener: (message: unknown) => void): () => void
  /**
   * Calls `listener` when messages of other nodes may be missing, because this node or another one was disconnected. Returns
   * the function that ends it.
   */
  onMissed(listener: () => void): () => void
  /** Resolves to the answers of the other nodes that are alive: when all have answered, or after half a second. */
  ask(topic: SignalTopic, question: object): Promise<readonly unknown[]>
  /** Answers what other nodes ask. Returns the function that ends it. */
  onAsked(topic: SignalTopic, answer: (question: unknown) => Promise<object>): () => void
  /** This node reads what others tell of a topic, until the result is disposed of. */
  read(topic: ReadTopic): Disposable
  /**
   * Calls `listener` when the first other node begins to read, at once if one reads already, and when the last one has ended.
   * Returns the function that ends it.
   */
  onRead(topic: ReadTopic, listener: (isRead: boolean) => void): () => void
}
