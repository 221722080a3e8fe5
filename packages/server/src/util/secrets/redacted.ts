import { inspect } from 'node:util'

/** A secret that does not appear in logs, errors or JSON. */
export class Redacted {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** Call it only where the secret is used. */
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
