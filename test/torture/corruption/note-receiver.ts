import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'

/** The last path segment of each webhook URL. */
export const PATHS = ['up', 'down', 'held'] as const
export type Path = (typeof PATHS)[number]

/** Receives webhooks, and stores the note of each accepted event by path. */
export class NoteReceiver implements AsyncDisposable {
  /** Whether the path `down` responds with 503. */
  isDown = true
  readonly #notes = new Map<string, Map<string, string>>()
  readonly #receiver: Receiver

  private constructor(receiver: Receiver) {
    this.#receiver = receiver
    receiver.respond = ({ path, body }) => {
      receiver.requests.length = 0
      if (path.endsWith('/down') && this.isDown) return 503
      const call = JSON.parse(body.toString()) as Partial<Record<string, never>>
      const { messageId = '', properties } = call as {
        messageId?: string
        properties?: { note?: string }
      }
      this.received(path.slice(path.lastIndexOf('/') + 1) as Path).set(
        messageId,
        properties?.note ?? '',
      )
      return 200
    }
  }

  static async open(): Promise<NoteReceiver> {
    return new NoteReceiver(await openReceiver())
  }

  urlOf(path: Path): string {
    return `${this.#receiver.url}/${path}`
  }

  /** The notes of the events that the path has accepted, by messageId. */
  received(path: Path): Map<string, string> {
    const notes = this.#notes.get(path) ?? new Map<string, string>()
    this.#notes.set(path, notes)
    return notes
  }

  forget(): void {
    this.#notes.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]()
  }
}
