import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { der } from './der.ts'

export interface ServerCertificate {
  readonly key: string
  readonly cert: string
}

/** Certificates for `localhost`, `127.0.0.1` and `::1`, except `wrongHost`. Created on demand, so none expires. */
export interface Certificates {
  /** The authority that issued all certificates except `selfSigned` and `unknownIssuer`, as PEM. */
  readonly ca: string
  readonly good: ServerCertificate
  readonly expired: ServerCertificate
  readonly notYetValid: ServerCertificate
  readonly wrongHost: ServerCertificate
  readonly selfSigned: ServerCertificate
  /** Issued by an authority with the same name but a different key. */
  readonly unknownIssuer: ServerCertificate
  /** For clients, valid for 60 days. Their common names are `client-a` and `client-b`. */
  readonly clients: readonly [ServerCertificate, ServerCertificate]
}

const DAY = 24 * 60 * 60 * 1000
const HOSTS = ['localhost', '127.0.0.1', '::1']
const ECDSA_WITH_SHA256 = der.sequence(der.objectId('1.2.840.10045.4.3.2'))

interface Authority {
  readonly name: string
  readonly key: KeyObject
  readonly cert: string
}

interface Subject {
  readonly name: string
  readonly hosts: readonly string[]
  readonly publicKey: KeyObject
  readonly isAuthority: boolean
  readonly from: number
  readonly until: number
}

export function makeCertificates(): Certificates {
  const authority = makeAuthority()
  const issued = (hosts = HOSTS, from = -DAY, until = DAY) => issue(authority, hosts, from, until)
  return {
    ca: authority.cert,
    good: issued(),
    expired: issued(HOSTS, -2 * DAY, -DAY),
    notYetValid: issued(HOSTS, DAY, 2 * DAY),
    wrongHost: issued(['elsewhere.example']),
    selfSigned: selfSigned(),
    unknownIssuer: issue(makeAuthority(), HOSTS, -DAY, DAY),
    clients: [issued(['client-a'], -DAY, 60 * DAY), issued(['client-b'], -DAY, 60 * DAY)],
  }
}

function makeAuthority(): Authority {
  const { publicKey, privateKey: key } = makeKeys()
  const name = 'Hookline test authority'
  const subject = { name, hosts: [], publicKey, isAuthority: true, ...validity(-DAY, DAY) }
  return { name, key, cert: certificate(subject, { name, key }) }
}

function issue(
  issuer: Authority,
  hosts: readonly string[],
  from: number,
  until: number,
): ServerCertificate {
  const { publicKey, privateKey } = makeKeys()
  const name = hosts[0] ?? ''
  const subject = { name, hosts, publicKey, isAuthority: false, ...validity(from, until) }
  return { key: pem(privateKey), cert: certificate(subject, issuer) }
}

function selfSigned(): ServerCertificate {
  const { publicKey, privateKey: key } = makeKeys()
  const name = 'localhost'
  const subject = { name, hosts: HOSTS, publicKey, isAuthority: false, ...validity(-DAY, DAY) }
  return { key: pem(key), cert: certificate(subject, { name, key }) }
}

/** An X.509 v3 certificate (RFC 5280 §4.1), signed with ECDSA. */
function certificate(subject: Subject, issuer: Pick<Authority, 'name' | 'key'>): string {
  const unsigned = der.sequence(
    der.tagged(0xa0, der.integer(2)),
    der.integer(Math.floor(Math.random() * 2 ** 40)),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.name),
    der.sequence(der.time(subject.from), der.time(subject.until)),
    distinguishedName(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    der.tagged(0xa3, der.sequence(...extensions(subject))),
  )
  const signature = sign('sha256', unsigned, issuer.key)
  const signed = der.sequence(unsigned, ECDSA_WITH_SHA256, der.bits(signature))
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function extensions({ isAuthority, hosts }: Subject): Buffer[] {
  const constraints = isAuthority ? der.sequence(der.boolean(true)) : der.sequence()
  const basic = extension('2.5.29.19', constraints)
  return hosts.length === 0
    ? [basic]
    : [basic, extension('2.5.29.17', der.sequence(...hosts.map(alternativeName)))]
}

function extension(id: string, content: Buffer): Buffer {
  return der.sequence(der.objectId(id), der.octets(content))
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0
    ? der.tagged(0x82, Buffer.from(host))
    : der.tagged(0x87, Buffer.from(ipaddr.parse(host).toByteArray()))
}

function distinguishedName(commonName: string): Buffer {
  return der.sequence(der.set(der.sequence(der.objectId('2.5.4.3'), der.utf8(commonName))))
}

function makeKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}

function validity(from: number, until: number) {
  return { from: Date.now() + from, until: Date.now() + until }
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
