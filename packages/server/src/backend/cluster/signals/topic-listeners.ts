/** Listeners by topic. */
export class TopicListeners<Listener> {
  readonly #byTopic = new Map<string, Set<Listener>>()

  /** Returns the function that removes it. */
  add(topic: string, listener: Listener): () => void {
    const listeners = this.of(topic)
    this.#byTopic.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  of(topic: string): Set<Listener> {
    return this.#byTopic.get(topic) ?? new Set()
  }
}
