import { nkeys } from '@nats-io/transport-node'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../src/backend/backend.ts'
import { UnusableServerError } from '../../../src/backend/cluster/unusable-server.ts'
import { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { NatsLink, type NatsSecurity } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { natsProgram } from '@hookline/testing/cluster/programs'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { credentialsOf, operatorMode, seedOf } from './nats-jwt.ts'

const certificates = makeCertificates()
/** A secret that must not appear in any error. */
const WRONG = 'the-wrong-secret'

/** Appends an event from a node with these settings. */
async function appendAs(url: string, security: NatsSecurity = {}): Promise<void> {
  await using link = await NatsLink.open({ url: new Redacted(url), ...security })
  const waiting = new ByteBudget(10_000_000)
  const installation = { id: 'test', servers: null }
  await using log = await JetStreamLog.open(link, { prefix: 'test', installation, waiting })
  await log.append([acceptedEvent()])
}

/** The URL with a user and a password, or a token. */
function as(url: string, who: string, protocol = 'nats'): string {
  return url.replace('nats://', `${protocol}://${who}@`)
}

async function refusal(connecting: Promise<void>): Promise<Error> {
  const error = await connecting.then(
    () => new Error('The node was not refused.'),
    (reason: Error) => reason,
  )
  expect(error).toBeInstanceOf(UnusableServerError)
  expect(`${error.message}${String(error.cause)}`).not.toContain(WRONG)
  return error
}

describe.skipIf(natsProgram() === undefined)('a node logs in to NATS', () => {
  test('with a user and password in the URL, and is refused with the wrong password', async () => {
    const user = { user: 'hookline', password: 'p/ss w@rd' }
    await using nats = await NatsServer.start({ authorization: user })
    await appendAs(as(nats.url, `hookline:${encodeURIComponent(user.password)}`))
    const error = await refusal(appendAs(as(nats.url, `hookline:${WRONG}`)))
    expect(error.message).toContain('Check the user, password or token in HOOKLINE_NATS_URL')
    await refusal(appendAs(nats.url))
  })

  test('with a token in the URL', async () => {
    await using nats = await NatsServer.start({ authorization: { token: 's3cret-token' } })
    await appendAs(as(nats.url, 's3cret-token'))
    await refusal(appendAs(as(nats.url, WRONG)))
  })

  test('with the seed of an nkey', async () => {
    const [known, unknown] = [nkeys.createUser(), nkeys.createUser()]
    await using nats = await NatsServer.start({
      authorization: { users: [{ nkey: known.getPublicKey() }] },
    })
    await appendAs(nats.url, { nkeySeed: new Redacted(seedOf(known)) })
    const error = await refusal(appendAs(nats.url, { nkeySeed: new Redacted(seedOf(unknown)) }))
    expect(error.message).not.toContain(seedOf(unknown))
  })

  test('with the text of a .creds file, even without the final newline', async () => {
    const { settings, credentials } = operatorMode()
    await using nats = await NatsServer.start(settings as Record<string, unknown>)
    await appendAs(nats.url, { credentials: new Redacted(credentials.trim()) })
    const other = credentialsOf('eyJ.eyJ.sig', seedOf(nkeys.createUser()))
    await refusal(appendAs(nats.url, { credentials: new Redacted(other) }))
  })

  test('over TLS with a private CA, but not if it does not trust the certificate', async () => {
    using folder = new TemporaryFolder()
    const pair = written(folder.path, certificates.good)
    await using nats = await NatsServer.start({ tls: pair })
    const ca = certificates.ca
    await appendAs(nats.url, { tls: { ca } })
    const tls = nats.url.replace('nats://', 'tls://')
    const error = await refusal(appendAs(tls))
    expect(error.message).toMatch(/TLS with NATS failed: .*certificate.*HOOKLINE_NATS_CA_FILE/)
  })

  test('over TLS with a client certificate', async () => {
    using folder = new TemporaryFolder()
    const ca = join(folder.path, 'ca.pem')
    writeFileSync(ca, certificates.ca)
    const pair = written(folder.path, certificates.good)
    await using nats = await NatsServer.start({ tls: { ...pair, ca_file: ca, verify: true } })
    const { cert, key } = certificates.good
    await appendAs(nats.url, { tls: { ca: certificates.ca, cert, key: new Redacted(key) } })
    // TLS 1.3: the client counts the handshake as done before the server closes the connection, without an error.
    await expect(appendAs(nats.url, { tls: { ca: certificates.ca } })).rejects.toThrow(
      BackendUnavailableError,
    )
  })

  test('only on a recent enough server, and names the required version otherwise', async () => {
    await using nats = await NatsServer.start()
    await using old = await announcing('2.10.22', nats.url)
    const { port } = old.address() as AddressInfo
    const error = await refusal(appendAs(`nats://127.0.0.1:${port}`))
    expect(error.message).toMatch(/has version 2\.10\.22.*Use nats-server 2\.10\.23 or newer/)
  })

  test('or fails with a retryable error if no server listens', async () => {
    await expect(appendAs('nats://127.0.0.1:1')).rejects.toThrow(BackendUnavailableError)
  })
})

/** A proxy in front of a server that announces another server version. */
async function announcing(version: string, url: string): Promise<Server> {
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(url).port), '127.0.0.1')
    server.on('data', (data: Buffer) => {
      client.write(data.toString().replace(/"version":"[^"]+"/g, `"version":"${version}"`))
    })
    client.pipe(server)
    for (const socket of [client, server]) socket.on('error', () => undefined)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return proxy
}

function written(folder: string, { cert, key }: { readonly cert: string; readonly key: string }) {
  const files = { cert_file: join(folder, 'cert.pem'), key_file: join(folder, 'key.pem') }
  writeFileSync(files.cert_file, cert)
  writeFileSync(files.key_file, key)
  return files
}
