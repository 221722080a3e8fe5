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

/** The Fastify instance of the management API: handlers have the types of their route's schema. */
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
    /** The route may read a lot of data, in steps of at most 1 s. */
    isLongRead?: boolean
    /** Responses show user data. Their bodies are not stored for an `Idempotency-Key`, where a purge could not reach them. */
    showsUsers?: boolean
  }
}
