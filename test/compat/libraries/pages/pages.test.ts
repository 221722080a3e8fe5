import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { readRepositoryFile } from '@hookline/testing/repository'
import { fencesIn } from '@hookline/testing/pages/fences'
import { startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { installedFolder, missingProgram } from '../installed-folder.ts'
import { PAGE_PROGRAMS, type PageProgram } from './page-programs.ts'

/** Includes downloading and compiling the libraries. */
const WITHIN_MS = 600_000

test.concurrent.for(PAGE_PROGRAMS)(
  'the call in the program on $page is delivered: $has',
  { timeout: WITHIN_MS },
  async (program, { skip }) => {
    const missing = await missingProgram(program.installation)
    if (missing !== undefined) skipOrFail(missing, 'HOOKLINE_REQUIRE_CLIENTS', skip)
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const code = codeOf(program)
      .replaceAll('https://events.example.com', service.url)
      .replaceAll('wk_…', service.source.writeKey)
    await program.run(code, {
      folder: folder.path,
      installed: await installedFolder(program.installation),
    })
    await receiver.waitFor(1)
    expect(JSON.parse(receiver.requests[0]!.body.toString())).toMatchObject({
      type: 'track',
      event: 'Order Completed',
      properties: { revenue: 39.95 },
    })
  },
)

/** The code block of the page that contains the line. */
function codeOf({ page, language, has }: PageProgram): string {
  const blocks = fencesIn(readRepositoryFile(`docs/clients/${page}`)).filter(
    (fence) => fence.language === language && fence.text.includes(has),
  )
  expect(blocks).toHaveLength(1)
  return blocks[0]!.text
}
