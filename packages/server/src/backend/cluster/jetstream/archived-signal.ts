import type { NatsLink } from './nats-link.ts'

/** Tells all nodes how far the archive reaches. What is told while a node is not connected gets lost. */
export class ArchivedSignal {
  readonly #link: NatsLink
  readonly #subject: string

  constructor(link: NatsLink, prefix: string) {
    this.#link = link
    this.#subject = `${prefix}.archived`
  }

  send(seq: number): void {
    if (this.#link.isConnected) this.#link.connection.publish(this.#subject, String(seq))
  }

  onReceived(listener: (seq: number) => void): void {
    this.#link.connection.subscribe(this.#subject, {
      callback: (_error, message) => {
        const seq = Number(message.string())
        if (Number.isSafeInteger(seq)) listener(seq)
      },
    })
  }
}
