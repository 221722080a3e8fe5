import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { startService } from '@hookline/testing/service/running-service'
import { skipCallCheck } from '@hookline/testing/service/skip-call-check'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const SECRET = 'the-shared-secret'
const HOSTILE = `\u202e<img src=x onerror=alert(1)>\u001b[31m${'W'.repeat(2_000)}`

async function deleteByClicks(page: Page, users: string, typed: string): Promise<void> {
  await page.getByRole('button', { name: 'Delete users…' }).first().click()
  await page.getByLabel('User IDs (one per line)').fill(users)
  await page.getByRole('button', { name: 'Review deletion' }).click()
  await page.getByText('This cannot be undone.').waitFor()
  const confirm = page.getByRole('button', { name: /permanently$/ })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel('to confirm').fill(typed)
  await confirm.click()
}

interface Signed {
  readonly receipt: { readonly id: string; readonly userIds: readonly string[] }
  readonly signature: { readonly publicKey: string; readonly value: string }
}

function isGenuine({ receipt, signature }: Signed): boolean {
  const der = Buffer.from(signature.publicKey, 'base64')
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const bytes = Buffer.from(JSON.stringify(receipt))
  return verify(null, bytes, key, Buffer.from(signature.value, 'base64'))
}

test('a user can be deleted, the notified destinations are shown, and the downloaded receipt verifies', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url], secret: SECRET })
  await service.track('m1', { userId: 'ada' })
  await receiver.waitFor(1)
  const { page, go } = await openSignedIn(service)
  await go('privacy')
  await page.getByText('No deletions yet').waitFor()
  await expectAccessible(page)
  await deleteByClicks(page, 'ada', 'ada')

  const drawer = page.getByRole('dialog', { name: 'Deletion of 1 user' })
  await drawer.getByText('Deleted, all notified').waitFor()
  await drawer.getByText('1 event and 1 delivery').waitFor()
  await drawer.getByText(/^delivered$/i).waitFor()
  await drawer.getByText('Status 200').waitFor()
  const [, notice] = await receiver.waitFor(2)
  expect(isSignedWith(SECRET, notice!)).toBe(true)
  expect(JSON.parse(notice!.body.toString())).toMatchObject({ type: 'delete', userId: 'ada' })

  const downloading = page.waitForEvent('download')
  await drawer.getByRole('link', { name: 'Download signed receipt' }).click()
  const download = await downloading
  const id = new URL(page.url()).searchParams.get('deletion')
  expect(download.suggestedFilename()).toBe(`receipt-${id}.json`)
  const signed = JSON.parse(readFileSync(await download.path(), 'utf8')) as Signed
  expect(signed.receipt).toMatchObject({ id, userIds: ['ada'] })
  expect(isGenuine(signed)).toBe(true)
  expect(isGenuine({ ...signed, receipt: { ...signed.receipt, userIds: ['bob'] } })).toBe(false)

  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  await page.getByRole('cell', { name: '1 of 1' }).waitFor()
  await skipCallCheck(service)
})

test('a receiver that refuses a notice is shown with its response, next to receivers that accepted it', async () => {
  await using good = await openReceiver()
  await using bad = await openReceiver({ respond: { status: 400, body: HOSTILE } })
  await using service = await startService()
  await service.createDestination({ urls: [good.url, bad.url] })
  await service.createDestination({ urls: [good.url] })
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('privacy')
  await deleteByClicks(page, `u1\n${HOSTILE.slice(0, 200)}\nu1`, '2')
  const drawer = page.getByRole('dialog', { name: 'Deletion of 2 users' })
  await drawer.getByText('Deleted, partially notified').waitFor()
  await drawer.getByText('Notified', { exact: true }).waitFor()
  await drawer.getByText('Partially notified', { exact: true }).waitFor()
  await drawer
    .getByText(/^rejected$/i)
    .first()
    .waitFor()
  await drawer.getByText('⟨U+202E⟩<img src=x onerror=alert(1)>').first().waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
  await page.setViewportSize(NARROW)
  await expectNoHorizontalScroll(page)
  await page.keyboard.press('Escape')
  await page.getByText('Deleted, partially notified').waitFor()
  await expectAccessible(page)
  await expectNoHorizontalScroll(page)
  expect(pageErrors.filter((each) => !each.includes('status of 400'))).toEqual([])
})

test('the form opens with a user, adds anonymous ids, lists aliased users who remain, and can be limited to a source', async () => {
  await using service = await startService()
  const other = await service.createSource()
  const condition = { trait: 'plan', op: 'exists' }
  await service.api.call('POST', 'audiences', { name: 'All', destinationIds: [], condition })
  await service.send('/v1/identify', { userId: 'lovelace' })
  await service.send('/v1/alias', { userId: 'ada', previousId: 'lovelace' })
  await service.track('m1', { userId: 'ada', anonymousId: 'anon-1' })
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go('privacy?userId=ada')
  const form = page.getByRole('dialog', { name: 'Delete users' })
  expect(await form.getByLabel('User IDs').inputValue()).toBe('ada')
  await expect
    .poll(async () => {
      await form.getByRole('button', { name: 'Add known anonymous IDs' }).click()
      return form.getByLabel('Anonymous IDs').inputValue()
    })
    .toBe('anon-1')
  await expect
    .poll(async () => {
      await form.getByRole('button', { name: 'Add known anonymous IDs' }).click()
      return form.getByRole('status').textContent()
    })
    .toContain('Aliased users who will not be deleted: lovelace.')
  await form.getByLabel('Selected sources').check()
  const next = form.getByRole('button', { name: 'Review deletion' })
  expect(await next.isDisabled()).toBe(true)
  await form.getByLabel('Test', { exact: true }).last().check()
  await form.getByLabel('User IDs').fill('ada\nbob ')
  await form.getByText('1 ID starts or ends with a space').waitFor()
  await form.getByLabel(/^Suppress/).check()
  await expectAccessible(page)
  await page.setViewportSize(NARROW)
  await expectNoHorizontalScroll(page)
  await next.click()
  const review = page.getByRole('dialog', { name: 'Delete these users?' })
  await review.getByText('No destination will be notified').waitFor()
  await review.getByText('will be suppressed').waitFor()
  await expectAccessible(page)
  await review.getByLabel('to confirm').fill('3')
  await review.getByRole('button', { name: 'Delete 3 ids permanently' }).click()
  await page.getByRole('dialog').getByText('Deleted', { exact: true }).waitFor()
  const { data } = await service.api.call<{ data: object[] }>('GET', 'deletions')
  expect(data).toMatchObject([{ users: 2, anonymousUsers: 1, sourceIds: [other.id] }])
})

test('a suppression can be found by its userId, and ended', async () => {
  await using service = await startService()
  const body = { userIds: ['ada', 'bob'], anonymousIds: [HOSTILE.slice(0, 500)], suppress: true }
  const { id } = await service.api.call<{ id: string }>('POST', 'deletions', body)
  await service.eventually(async () =>
    expect(await service.api.call('GET', `deletions/${id}`)).toMatchObject({ state: 'finished' }),
  )
  await service.track('left-out', { userId: 'ada' })
  const { page, go } = await openSignedIn(service, { viewport: NARROW })
  await go('privacy?tab=suppressions')
  const rows = page.getByRole('region', { name: 'Suppressions' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(4)
  await expectAccessible(page)
  await expectNoHorizontalScroll(page)
  await page.getByLabel('userId or anonymousId').fill('ada')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count()).toBe(2)
  expect(new URL(page.url()).searchParams.get('search')).toBe('ada')
  await page.getByRole('button', { name: 'End suppression of ada' }).click()
  await page.getByRole('button', { name: 'End suppression' }).click()
  await page.getByText('This ID is not suppressed').waitFor()
  await service.track('kept', { userId: 'ada' })
  await service.endOf('kept')
  await service.restart()
})

test('a viewer sees deletions and suppressions, but no forbidden actions', async () => {
  await using service = await startService()
  const body = { userIds: ['ada'], suppress: true }
  await service.api.call('POST', 'deletions', body)
  const { page, go } = await openSignedIn(service, { role: 'viewer' })
  await go('privacy?userId=ada')
  await page.getByRole('button', { name: '1 user' }).waitFor()
  expect(await page.getByRole('button', { name: 'Delete users…' }).count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Deleted', { exact: true }).waitFor()
  await go('privacy?tab=suppressions')
  await page.getByRole('button', { name: /^View deletion/ }).waitFor()
  expect(await page.getByRole('button', { name: /^End/ }).count()).toBe(0)
})

test('an unknown deletion id shows an error with a button to try again', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('privacy?deletion=del_none')
  await page.getByRole('dialog').getByText('No deletion has this id.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
})
