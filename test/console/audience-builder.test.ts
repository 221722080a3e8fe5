import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

async function identify(service: RunningService, userId: string, plan: string): Promise<void> {
  const call = { type: 'identify', userId, traits: { plan } }
  expect((await service.send('/v1/identify', call)).status).toBe(200)
}

/** The condition with this number in the builder, counted from 1. */
const clause = (page: Page, number: number) =>
  page.getByRole('group', { name: /^Condition:/ }).nth(number - 1)

const isWithinWidth = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')

test('an audience is built by mouse and keyboard, with a live preview of its size, and explains why a user entered', async () => {
  await using service = await startService()
  await identify(service, 'anna', 'pro')
  await service.track('m1', { userId: 'anna' })
  await service.track('m2', { userId: 'anna' })
  await identify(service, 'ben', 'free')
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('audiences')
  await page.getByRole('link', { name: 'Create audience' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Loyal pros')
  await page.getByText('loyal_pros').waitFor()

  // By keyboard: the first clause is a trait.
  await clause(page, 1).getByLabel('Condition type').focus()
  await page.keyboard.press('T')
  await clause(page, 1).getByLabel('Trait name').focus()
  await page.keyboard.type('plan')
  await clause(page, 1).getByLabel('Value', { exact: true }).focus()
  await page.keyboard.type('pro')
  await page.getByText('1 user', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'anna' }).waitFor()

  // A group for the other two clauses. The focus moves to its first clause.
  await page.getByRole('button', { name: 'Add group' }).click()
  await page.getByText('Fill in all fields to see matching users.').waitFor()
  const count = clause(page, 2)
  await count.getByLabel('Event name').fill('Order Completed')
  await count.getByLabel('How often').selectOption('at least')
  await count.getByLabel('Number of times').fill('2')
  await count.getByLabel('When').selectOption('in the last')
  await page.getByRole('group', { name: 'Group: any of' }).getByText('Add condition').click()
  await page.keyboard.press('T')
  await clause(page, 3).getByLabel('Trait name').fill('vip')
  await clause(page, 3).getByLabel('Operator').selectOption('has a value')
  await page
    .getByText(
      'trait plan is “pro” and (Order Completed at least 2 times in the last 30 days or trait vip has a value)',
    )
    .waitFor()
  // Negating keeps the focus at the clause.
  await clause(page, 3).getByRole('button', { name: 'Not' }).click()
  await page.getByText('or not (trait vip has a value))').waitFor()
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Condition type')
  await clause(page, 3).getByRole('button', { name: 'Remove “not”' }).click()
  await page.getByText('1 user', { exact: true }).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Create audience' }).click()
  await page.getByRole('heading', { level: 1, name: 'Loyal pros' }).waitFor()
  await page.getByText('live').first().waitFor()
  await page.getByRole('cell', { name: '+1 −0' }).waitFor()
  await page.getByRole('tab', { name: 'Members' }).click()
  await page.getByRole('cell', { name: 'anna' }).waitFor()
  expect(await page.getByRole('cell', { name: 'ben' }).count()).toBe(0)

  // Ben enters the audience while the page is open.
  await page.getByRole('tab', { name: 'Explain' }).click()
  await page.getByLabel('userId').fill('ben')
  await page.keyboard.press('Enter')
  await page.getByText('is not in this audience').waitFor()
  await identify(service, 'ben', 'pro')
  await service.track('m3', { userId: 'ben' })
  await service.track('m4', { userId: 'ben' })
  await page.getByText('entered this audience').waitFor()
  const decisive = page.getByRole('listitem').filter({ hasText: 'decisive' })
  expect(await decisive.allInnerTexts()).toEqual([
    expect.stringMatching(/matches\s+trait plan is “pro”\s+found “pro”/),
    expect.stringMatching(/matches\s+Order Completed at least 2 times.+\s+found 2/),
  ])
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('figure', { name: '2 entered, 0 left' }).waitFor()
  await expectAccessible(page)
  // The browser logs responses with 400 as errors. They are not errors in the page.
  expect(pageErrors.filter((each) => !each.includes('400'))).toEqual([])
})

test('the condition can be edited as JSON, and an error is shown at its clause', async () => {
  await using service = await startService()
  await identify(service, 'anna', 'pro')
  const condition = {
    and: [
      { trait: 'plan', op: 'exists' },
      { trait: 'a', op: 'exists' },
    ],
  }
  const body = { name: 'Some', destinationIds: [], condition }
  const { id } = await service.api.call<{ id: string }>('POST', 'audiences', body)
  const { page, go } = await openSignedIn(service, { colorScheme: 'dark' })
  await go(`audiences?audience=${id}&tab=definition`)
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await page
    .getByLabel('Condition as JSON')
    .fill('{"or":[{"trait":"plan","op":"exists"},{"computedTrait":"spent","op":">","value":5}]}')
  await page.getByText('/or/1/computedTrait: Computed trait not found.').waitFor()
  await page.getByRole('button', { name: 'Use builder' }).click()
  await clause(page, 2).getByText('Computed trait not found.').waitFor()
  expect(await clause(page, 1).getByRole('alert').count()).toBe(0)
  await expectAccessible(page)

  await clause(page, 2).getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('1 user', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const stored = await service.api.call<{ condition: object }>('GET', `audiences/${id}`)
  expect(stored.condition).toEqual({ or: [{ trait: 'plan', op: 'exists' }] })
  // JSON that the builder cannot display is sent unchanged.
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await page.getByLabel('Condition as JSON').fill('{"trait":"plan","op":"exists","extra":1}')
  await page.getByText('/extra: Unknown field.').waitFor()
  await page.getByRole('button', { name: 'Use builder' }).click()
  await page.getByText('The builder cannot show this.').waitFor()
})

test('the builder works on a narrow screen in dark mode, and the list works with the keyboard', async () => {
  await using service = await startService()
  for (const name of ['First', 'Second'])
    await service.api.call('POST', 'audiences', {
      name,
      destinationIds: [],
      condition: {
        or: [
          { not: { event: 'A', within: { days: 1 } } },
          { and: [{ trait: 'a.b', op: 'one_of', value: ['x', 1] }] },
        ],
      },
    })
  const { page, go } = await openSignedIn(service, {
    colorScheme: 'dark',
    viewport: { width: 380, height: 700 },
  })
  await go('audiences')
  await page.getByRole('link', { name: 'Second' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor()
  await page.getByRole('tab', { name: 'Condition' }).click()
  await clause(page, 2).waitFor()
  expect(await isWithinWidth(page)).toBe(true)
  await expectAccessible(page)
})

test.for([1280, 380])(
  'at %i px, the layout is stable while an audience is edited, and incomplete names are not counted',
  async (width) => {
    await using service = await startService()
    await service.track('m1', { userId: 'anna' })
    const { page, go } = await openSignedIn(service, { viewport: { width, height: 800 } })
    await go('audiences')
    await page.getByRole('link', { name: 'Create audience' }).click()
    const top = async (label: string): Promise<number> =>
      (await page.getByLabel(label, { exact: true }).boundingBox())!.y
    const name = page.getByLabel('Name', { exact: true })
    await name.waitFor()
    const membersAt = await top('Members')
    await name.fill('Customers who came back after a very long time and bought something again')
    await page.getByText('customers_who_came_back').waitFor()
    expect(await top('Members')).toBe(membersAt)

    const event = page.getByLabel('Event name')
    expect((await event.boundingBox())!.width).toBeGreaterThan(240)
    await event.fill('Ord')
    await page.getByText('No recent event is named “Ord”').waitFor()
    await event.fill('Order Completed')
    await page.getByText('1 user', { exact: true }).waitFor()
    await page.getByText('would be in this audience.').waitFor()

    const whenAt = await top('When')
    await page.getByLabel('How often').selectOption('at least')
    await page.getByLabel('Number of times').waitFor()
    // On a narrow screen, the text above wraps, which moves the rest.
    if (width > 1000) expect(await top('When')).toBe(whenAt)
    expect(await isWithinWidth(page)).toBe(true)
    await expectAccessible(page)
  },
)
