import { randomUUID } from 'node:crypto'

const CALL = {
  type: 'track',
  event: 'Order Completed',
  userId: 'user-0123456789',
  anonymousId: 'b4d1f0e2-6a3c-4d8b-9d0e-1f2a3b4c5d6e',
  properties: {
    orderId: 'order-50314b8e',
    revenue: 39.95,
    currency: 'EUR',
    coupon: 'AUTUMN',
    products: [
      {
        productId: '507f1f77bcf86cd799439011',
        name: 'Monopoly: 3rd Edition',
        price: 19,
        quantity: 1,
      },
      { productId: '505bd76785ebb509fc183733', name: 'Uno Card Game', price: 3, quantity: 2 },
    ],
  },
  context: {
    ip: '203.0.113.7',
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    library: { name: '@segment/analytics-node', version: '3.1.0' },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
    page: {
      path: '/checkout',
      referrer: 'https://shop.example/',
      url: 'https://shop.example/checkout',
    },
  },
  timestamp: '2026-01-15T12:00:00.000Z',
}

/** A call of ordinary size, about 800 bytes, with a messageId of its own. */
export function call(): typeof CALL & { readonly messageId: string } {
  return { messageId: randomUUID(), ...CALL }
}

/** A call of about so many bytes of JSON, which are more products. */
export function callOfBytes(bytes: number): object {
  const { type, event, userId, properties } = CALL
  const [product] = properties.products
  const sized = {
    type,
    event,
    userId,
    messageId: MARK,
    properties: { products: [] as object[], rest: '' },
  }
  const left = (): number => bytes - JSON.stringify(sized).length
  const most = Math.floor(left() / (JSON.stringify(product).length + 1))
  sized.properties.products.push(...Array.from({ length: most }, () => product!))
  sized.properties.rest = 'x'.repeat(Math.max(0, left()))
  return sized
}

/** As long as a UUID. */
const ID_LENGTH = 36
const MARK = 'message-id-'.padEnd(ID_LENGTH, '0')
/** Decimal digits of a call's number, at the end of its messageId. */
const DIGITS = 12
/** Odd, so that multiplying by it modulo 2^32 gives each number another one, far away from the last. */
const SCATTER = 0x9e3779b1
const USER_DIGITS = 10

/**
 * The messageId of the call with this number: as a UUID has it, its beginning tells nothing of the one before,
 * so that an index by it is hit all over, as it is in production.
 */
function messageIdOf(number: number, run: string): string {
  const scattered = scatter(number).toString(16).padStart(8, '0')
  return `${scattered}-${run}-${number.toString().padStart(ID_LENGTH - 10 - run.length, '0')}`
}

/** One of a million. */
function userOf(number: number): string {
  return (scatter(number) % 1_000_000).toString().padStart(USER_DIGITS, '0')
}

function scatter(number: number): number {
  return Math.imul(number, SCATTER) >>> 0
}

/** The number of the call in the payload of an event; nothing where `requestTemplate` has not made the call. */
export function numberIn(payload: Buffer): number | undefined {
  const end = payload.indexOf('"messageId":"') + 13 + ID_LENGTH
  const digits = /^-0{6}(\d+)$/.exec(payload.toString('latin1', end - DIGITS - 7, end))
  return digits ? Number(digits[1]) : undefined
}

/**
 * A request with `count` calls, made once. Each use gives every call in it another messageId and another user, as
 * real traffic has them, without building the request again. Calls are numbered from 0.
 */
export function requestTemplate(
  path: string,
  writeKey: string,
  { count = 1, like = CALL }: { readonly count?: number; readonly like?: object | undefined } = {},
): () => Buffer {
  const calls = Array.from({ length: count }, () => ({ ...like, messageId: MARK }))
  const body = JSON.stringify(count === 1 ? calls[0] : { batch: calls })
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${btoa(`${writeKey}:`)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const ids = placesOf(MARK, request)
  const users = placesOf(CALL.userId, request).map((at) => at + CALL.userId.length - USER_DIGITS)
  const run = randomUUID().slice(0, 8)
  let number = 0
  return () => {
    for (const [index, place] of ids.entries()) {
      request.write(messageIdOf(number, run), place, 'latin1')
      request.write(userOf(number), users[index]!, 'latin1')
      number++
    }
    return Buffer.from(request)
  }
}

function placesOf(text: string, request: Buffer): number[] {
  const places: number[] = []
  for (let at = request.indexOf(text); at >= 0; at = request.indexOf(text, at + 1)) places.push(at)
  return places
}
