import { inspect } from 'node:util'

/** A secret that no log, error or serialisation shows. Only `reveal()` returns it. */
export class Redacted {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The secret itself. Call it only where the secret is used. */
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
