import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { openReceiver, type ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const [OLD, NEW] = ['the old shared secret', 'the new shared secret']

/** The secrets of the signatures in webhook-signature, in order, computed without code of the product. */
function standardSigners({ headers, body }: ReceivedRequest): (string | undefined)[] {
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body.toString()}`
  const signatureBy = (secret: string) =>
    `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
  const signatures = String(headers['webhook-signature']).split(' ')
  return signatures.map((signature) =>
    [OLD, NEW].find((secret) => signatureBy(secret) === signature),
  )
}

const xSigner = ({ headers, body }: ReceivedRequest): string | undefined =>
  [OLD, NEW].find(
    (secret) => createHmac('sha1', secret).update(body).digest('hex') === headers['x-signature'],
  )

it('during the overlap, webhook-signature is computed with both secrets, and X-Signature with the new one', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: OLD })
  await service.track('m1')
  await service.endOf('m1')
  const rotate = (body: object) =>
    service.api.call<{ settings: { sharedSecret: { previousUntil?: string } } }>(
      'POST',
      `destinations/${id}/rotate-secret`,
      body,
    )
  const shown = await rotate({ secret: NEW, overlapHours: 2 })
  const { previousUntil } = shown.settings.sharedSecret
  expect(Date.parse(previousUntil!) / 3_600_000).toBeCloseTo(Date.now() / 3_600_000 + 2, 1)
  expect(JSON.stringify(shown)).not.toMatch(/shared secret/)
  await service.restart()
  await service.track('m2')
  await service.endOf('m2')
  // Repeating the request, as after a timeout, does not end the overlap.
  expect(await rotate({ secret: NEW })).toEqual(shown)
  await service.track('m3')
  await service.endOf('m3')
  await rotate({ secret: OLD, overlapHours: 0, force: true })
  await service.track('m4')
  await service.endOf('m4')
  expect(receiver.requests.map(standardSigners)).toEqual([[OLD], [NEW, OLD], [NEW, OLD], [OLD]])
  expect(receiver.requests.map(xSigner)).toEqual([OLD, NEW, NEW, OLD])
})

it('a secret that is set directly replaces the old one immediately, and other changes keep the overlap', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: OLD })
  await service.api.call('POST', `destinations/${id}/rotate-secret`, { secret: NEW })
  const shown = await service.api.call<{ settings: object }>('GET', `destinations/${id}`)
  await service.api.call('PATCH', `destinations/${id}`, { settings: shown.settings, name: 'CRM' })
  await service.track('m1')
  await service.endOf('m1')
  await service.api.call('PATCH', `destinations/${id}`, { settings: { sharedSecret: OLD } })
  await service.track('m2')
  await service.endOf('m2')
  expect(receiver.requests.map(standardSigners)).toEqual([[NEW, OLD], [OLD]])
})
