import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Role } from '../../backend/tokens.ts'

interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/** The Fastify instance of the management API: handlers get the types that the schemas of their routes state. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>

declare module 'fastify' {
  interface FastifySchema {
    /** The role that the route requires; absent if it needs no token. */
    role?: Role
    /** The route may search or sum up much: in steps, each of which takes a second at most. */
    isLongRead?: boolean
    /**
     * Responses show events, or other data of users. They are not kept for an `Idempotency-Key`, where a purge could not
     * reach them.
     */
    showsUsers?: boolean
  }
}
