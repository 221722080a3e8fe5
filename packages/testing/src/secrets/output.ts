import { expect } from 'vitest'
import type { ReceivedResponse } from '../network/http-exchange.ts'

/** All log lines and responses from the service, each with its place. */
export class Output {
  readonly logged: string[] = []
  readonly #responses: (readonly [where: string, text: string])[] = []

  add(where: string, { text, headers }: ReceivedResponse): void {
    this.#responses.push([where, `${JSON.stringify(headers)}\n${text}`])
  }

  /** The places that contain this text. */
  placesOf(secret: string): string[] {
    const all = [...this.#responses, ...this.logged.map((line) => [`log: ${line}`, line] as const)]
    return all.filter(([, text]) => text.includes(secret)).map(([where]) => where)
  }

  get #size(): number {
    return this.#responses.length + this.logged.length
  }

  /** Fails if any of these secrets occurs, or if the search does not find `control`, which is known to be present. */
  expectNone(secrets: readonly string[], control: string): void {
    expect(this.#size).toBeGreaterThan(20)
    for (const secret of secrets) expect([secret, this.placesOf(secret)]).toEqual([secret, []])
    expect(this.placesOf(control)).not.toEqual([])
  }
}
