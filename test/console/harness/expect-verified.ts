import type { Page } from 'playwright-core'

/** Waits until the page shows a delivery with a verified signature. */
export async function expectVerified(page: Page): Promise<void> {
  const step = page.getByRole('listitem').filter({ hasText: 'Receive a signed delivery' })
  await step.getByText('Delivered', { exact: true }).waitFor()
  await step.getByText('Signature verified').waitFor()
  await step.getByText(/^POST \/ HTTP\/1\.1/).waitFor()
}
