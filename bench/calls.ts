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

/** A call of ordinary size, about 900 bytes, with a messageId of its own. */
export function call(): typeof CALL & { readonly messageId: string } {
  return { messageId: randomUUID(), ...CALL }
}

const MARK = 'message-id-000000000000000000000000'

/**
 * A request with `count` calls, made once. Each use gives every call in it a new messageId, as a real
 * client does, without building the request again.
 */
export function requestTemplate(path: string, writeKey: string, count: number): () => Buffer {
  const calls = Array.from({ length: count }, () => ({ ...CALL, messageId: MARK }))
  const body = JSON.stringify(count === 1 ? calls[0] : { batch: calls })
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${btoa(`${writeKey}:`)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const places: number[] = []
  for (let at = request.indexOf(MARK); at >= 0; at = request.indexOf(MARK, at + 1)) places.push(at)
  const run = randomUUID().slice(0, 8)
  let counter = 0
  return () => {
    for (const place of places) {
      request.write(
        `${run}-${(counter++).toString().padStart(MARK.length - 9, '0')}`,
        place,
        'latin1',
      )
    }
    return Buffer.from(request)
  }
}
