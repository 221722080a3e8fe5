import type { Role } from '../../backend/tokens.ts'
import type { Redacted } from '../../util/redacted.ts'

/** Whose token a request carries. */
export interface Actor {
  /** The id of the token; `admin-token` for the operator's own. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** The token itself. */
  readonly credential: Redacted
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that asks for a token, before anything else. */
    actor: Actor
  }
}
