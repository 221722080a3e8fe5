import { publishedKeys, type SigningKey } from '@hookline/protocol'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { hash } from 'node:crypto'
import type { Catalog } from '../../backend/catalog.ts'
import type { Clock } from '../../util/time/clock.ts'
import { presentKey } from './signing-keys.ts'

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
      void reply
        .headers({
          'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
          'access-control-allow-origin': '*',
          'x-content-type-options': 'nosniff',
        })
        .type('application/jwk-set+json')
        .send(Buffer.from(JSON.stringify({ keys: keys.map(jwkOf) })))
    })
  }
}

function jwkOf(key: SigningKey): object {
  const { publicKey, signsFrom, signsUntil } = presentKey(key)
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
    signsFrom,
    signsUntil,
  }
}
