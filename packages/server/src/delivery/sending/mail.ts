import { isJsonObject, mailAddressesIn } from '@hookline/protocol'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { MailRefusedError, RequestRefusedError } from '../network/network-errors.ts'
import type { WebhookRequest } from './webhook-request.ts'

interface Connection {
  /** Connected, without TLS. */
  readonly socket: Socket
  readonly secureContext: SecureContext
  readonly signal: AbortSignal
}

interface MailReply {
  readonly status: number
  readonly text: string
  /** Whether some recipients were refused. */
  readonly isPartial: boolean
}

/**
 * Sends the body, `{"subject": "…", "text": "…"}`, as an email to the recipients in the URL. Resolves once the server has accepted it
 * for at least one of them.
 * @throws {MailRefusedError} with the reply of the server
 * @throws {RequestRefusedError} if the recipients or the body are unusable
 * @throws {Error} with the `code` of another failure
 */
export async function sendMail(
  request: WebhookRequest,
  connection: Connection,
): Promise<MailReply> {
  const url = new URL(request.url)
  const { subject, text } = contentOf(request.body)
  const login = request.auth && 'basic' in request.auth ? request.auth.basic : undefined
  const addresses = mailAddressesIn(url)
  if (addresses === undefined) throw new RequestRefusedError('email to these recipients')
  const isTls = url.protocol === 'smtps:'
  // Loaded only when an email is sent.
  const { createTransport } = await import('nodemailer')
  const { socket, secureContext, signal } = connection
  const transport = createTransport({
    connection: socket,
    host: mailHostOf(url),
    secure: isTls,
    requireTLS: login !== undefined && !isTls,
    ...(login && { auth: { user: login.user, pass: login.password } }),
    // Without a password, STARTTLS is optional. An attacker who could forge a certificate could also strip the STARTTLS
    // offer.
    tls: { secureContext, rejectUnauthorized: isTls || login !== undefined },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const from = addresses.from ?? (login?.user.includes('@') ? login.user : addresses.to[0])
  // Repeated attempts have the same id, by which mailboxes recognise duplicates.
  const messageId = `<${request.deliveryId}@hookline>`
  const message = { from, to: [...addresses.to], subject, text, messageId, signal }
  const { response, rejected } = await transport.sendMail(message).catch((error: unknown) => {
    throw failureOf(error as MailFailure)
  })
  const isPartial = rejected.length > 0
  const suffix = isPartial ? `\nRefused recipients: ${rejected.join(', ')}` : ''
  return { status: Number(response.slice(0, 3)), text: `${response}${suffix}`, isPartial }
}

export function mailHostOf({ hostname }: URL): string {
  return hostname.replaceAll(/[[\]]/g, '')
}

function contentOf(body: Uint8Array): { readonly subject: string; readonly text: string } {
  const content: unknown = JSON.parse(Buffer.from(body).toString())
  if (isJsonObject(content)) {
    const { subject, text } = content
    if (typeof subject === 'string' && typeof text === 'string') return { subject, text }
  }
  throw new RequestRefusedError('an email: the transform must return {"subject": "…", "text": "…"}')
}

interface MailFailure extends Error {
  readonly code?: string
  /** The code of the socket or TLS error, which nodemailer replaces. */
  readonly originalCode?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

function failureOf(error: MailFailure): Error {
  const { code, originalCode, responseCode, response = '', command = 'the message' } = error
  if (responseCode !== undefined) return new MailRefusedError(responseCode, command, response)
  return Object.assign(new Error('The email was not sent.', { cause: error }), {
    code: originalCode ?? code,
  })
}
