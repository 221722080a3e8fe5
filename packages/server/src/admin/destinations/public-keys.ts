import { publishedKeys, type SigningKey } from '@hookline/protocol'
import { publicKeyOf } from '@hookline/protocol/ed25519'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { hash } from 'node:crypto'
import type { Catalog } from '../../backend/catalog.ts'
import type { Clock } from '../../util/time/clock.ts'
import { timeOrNull } from '../api/schema.ts'

/** Much less than the day for which a key is published before it signs. */
const MAX_AGE_SECONDS = 3600

interface PublicKeysDeps {
  readonly catalog: Pick<Catalog, 'current'>
  readonly clock: Clock
  readonly sendNotFound: (reply: FastifyReply) => void
}

/**
 * The public keys of a destination as a JWK Set (RFC 7517, RFC 8037). Public: a receiver needs no token. A destination
 * without keys looks like one that does not exist.
 */
export function publicKeysRoute({
  catalog,
  clock,
  sendNotFound,
}: PublicKeysDeps): FastifyPluginAsync {
  return async (server) => {
    server.get<{ Params: { id: string } }>('/.well-known/hookline/keys/:id', (request, reply) => {
      const destination = catalog.current.destinations.get(request.params.id)
      const keys = destination ? publishedKeys(destination.settings, clock.wall()) : []
      if (keys.length === 0) {
        sendNotFound(reply.header('cache-control', 'no-store'))
        return
      }
      const body = JSON.stringify({ keys: keys.map(jwkOf) })
      const etag = `"${hash('sha256', body, 'base64url')}"`
      void reply.headers({
        etag,
        'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      })
      if (isMatch(request.headers['if-none-match'], etag)) void reply.code(304).send()
      else void reply.type('application/jwk-set+json').send(Buffer.from(body))
    })
  }
}

function jwkOf({ privateKey, from, until }: SigningKey): object {
  const publicKey = publicKeyOf(privateKey)
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  // RFC 7638: the thumbprint is over the required members, in this order.
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid,
    use: 'sig',
    alg: 'EdDSA',
    whpk: publicKey,
    signsFrom: timeOrNull(from ?? null),
    signsUntil: timeOrNull(until ?? null),
  }
}

/** If-None-Match (RFC 9110 §13.1.2). */
function isMatch(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
