/** What nodes tell and ask each other about. */
export type SignalTopic =
  | 'attempts'
  | 'breakers'
  | 'changes'
  | 'counts'
  | 'inspector'
  | 'lanes'
  | 'pauses'
  | 'purges'
  | 'replicas'
  | 'statistics'

/** Values of all nodes, in one order that all nodes agree on. */
export interface Feed {
  /**
   * Whether a node follows it. While it is false, publish nothing. It may be true for some seconds longer, after a node has
   * died that followed it.
   */
  readonly isFollowed: boolean
  /** Publishes plain data. Does not wait: where a node cannot keep up or is not connected, followers learn how many are missing. */
  publish(value: object): void
  /**
   * Follows the feed, and announces it to the nodes that publish. First come the values that are kept of before. Disposing of
   * the result ends it.
   */
  follow(follower: FeedFollower): Following
  /** Removes what is kept for followers to come, because it may be about users who are deleted. */
  forget(): Promise<void>
}

export interface Following extends Disposable {
  /** Resolves when the values have come that were kept, or when that takes too long. */
  readonly caughtUp: Promise<void>
}

/** Hears what a feed has. */
export interface FeedFollower {
  /**
   * It begins, or begins again because something may have got lost: forget what came before. `run` names the order, and
   * nothing that was published up to `position` will come.
   */
  begin(run: string, position: number): void
  /** Positions grow, and are the same on all nodes for as long as `run` is. */
  add(value: object, position: number): void
  /** So many values before the next one are missing. Called after `begin`. */
  miss(count: number): void
}

/**
 * What nodes tell and ask each other, so that each of them shows the whole service. Nothing of it is durable: a node hears
 * what is told while it is connected. What is told and answered is plain data of at most 8 MiB as JSON.
 */
export interface Signals {
  /** The live tail. */
  readonly activity: Feed
  /** Tells all other nodes. Does not wait. */
  tell(topic: SignalTopic, message: object): void
  /** Calls `listener` for what other nodes tell. Returns the function that ends it. */
  onTold(topic: SignalTopic, listener: (message: unknown) => void): () => void
  /** Calls `listener` when what others have told may be missing. Returns the function that ends it. */
  onMissed(listener: () => void): () => void
  /** Resolves to the answers of the other nodes that are alive: when all have answered, or after half a second. */
  ask(topic: SignalTopic, question: object): Promise<readonly unknown[]>
  /** Answers what other nodes ask. Returns the function that ends it. */
  onAsked(topic: SignalTopic, answer: (question: unknown) => Promise<object>): () => void
  /** This node reads what others tell of a topic, until the result is disposed of. */
  read(topic: SignalTopic): Disposable
  /**
   * Calls `listener` when the first other node begins to read, at once if one reads already, and when the last one has ended.
   * Returns the function that ends it.
   */
  onRead(topic: SignalTopic, listener: (isRead: boolean) => void): () => void
}
