import { inspect } from 'node:util'

/** A secret that no log, error or serialisation can show: only `reveal()` gives it away. */
export class Redacted {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The secret itself, for the one place that needs it. */
  reveal(): string {
    return this.#secret
  }

  toString(): string {
    return '[redacted]'
  }

  toJSON(): string {
    return '[redacted]'
  }

  [inspect.custom](): string {
    return '[redacted]'
  }
}
