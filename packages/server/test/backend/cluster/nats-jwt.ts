import { nkeys } from '@nats-io/transport-node'
import { createHash } from 'node:crypto'

/** Settings of a server that accepts users of one account, and the text of such a user's .creds file. */
export function operatorMode(): { readonly settings: object; readonly credentials: string } {
  const [operator, account, user] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ]
  const system = nkeys.createAccount()
  const unlimited = { subs: -1, data: -1, payload: -1 }
  const ofAccount = { conn: -1, imports: -1, exports: -1, wildcards: true, leaf: -1 }
  const ofJetStream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const limits = { ...unlimited, ...ofAccount, ...ofJetStream }
  const accountJwt = tokenOf(operator, account, { type: 'account', limits })
  const systemJwt = tokenOf(operator, system, {
    type: 'account',
    limits: { ...unlimited, ...ofAccount },
  })
  const userJwt = tokenOf(account, user, { type: 'user', ...unlimited })
  return {
    settings: {
      operator: tokenOf(operator, operator, {
        type: 'operator',
        system_account: system.getPublicKey(),
      }),
      system_account: system.getPublicKey(),
      resolver: 'MEMORY',
      resolver_preload: {
        [account.getPublicKey()]: accountJwt,
        [system.getPublicKey()]: systemJwt,
      },
    },
    credentials: credentialsOf(userJwt, seedOf(user)),
  }
}

/** The text of a .creds file. */
export function credentialsOf(jwt: string, seed: string): string {
  return [
    '-----BEGIN NATS USER JWT-----',
    jwt,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
  ].join('\n')
}

type KeyPair = ReturnType<typeof nkeys.createUser>

export function seedOf(pair: KeyPair): string {
  return new TextDecoder().decode(pair.getSeed())
}

/** A NATS JWT for the subject, signed by the issuer. */
function tokenOf(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const claims = {
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub: subject.getPublicKey(),
    nats: { ...nats, version: 2 },
  }
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex')
  const parts = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { jti, ...claims },
  ].map(base64Url)
  const signed = parts.join('.')
  const signature = issuer.sign(new TextEncoder().encode(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

function base64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
