import { describe, expect, it } from 'vitest'
import { markdownPages, readRepositoryFile } from '@hookline/testing/repository'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { type Fence, fencesIn, valueOf } from '@hookline/testing/pages/fences'
import { NOT_RUN, RUN_BY_CI } from './not-run.ts'
import { PageReader } from './page-reader.ts'
import { SOURCE_AND_DESTINATION, startsService } from './prelude.ts'
import { Terminal } from './terminal.ts'

/** The blocks of a page that a reader pastes into a terminal, saves as files, or compares with the output of commands. */
function blocksOf(page: string): Fence[] {
  return fencesIn(readRepositoryFile(page)).filter(
    (fence, index, all) =>
      fence.language === 'sh' ||
      valueOf(fence, 'file') !== undefined ||
      isOutput(fence, all[index - 1]),
  )
}

/** A text block after commands in the same section is their output. */
function isOutput({ language, words, section }: Fence, before: Fence | undefined): boolean {
  const isBelowCommands = before?.language === 'sh' && !before.words.includes('not-run')
  return language === 'text' && words.length === 0 && isBelowCommands && before.section === section
}

/** One page, or all of them. */
const only = process.env['HOOKLINE_TEST_PAGES']
const pages = markdownPages().filter(
  (page) =>
    (only === undefined || page === only) &&
    blocksOf(page).some(({ words }) => !words.includes('not-run')),
)

describe('the commands of a page', () => {
  it.concurrent.for(pages)('work as described when they are pasted: %s', async (page, { skip }) => {
    if (!(await Terminal.isPossible()))
      skipOrFail('unshare and ip of Linux', 'HOOKLINE_REQUIRE_PAGES', skip)
    const blocks = blocksOf(page).filter(({ words }) => !words.includes('not-run'))
    await using reader = new PageReader()
    const prelude = startsService(blocks) ? [] : SOURCE_AND_DESTINATION
    for (const block of [...prelude, ...blocks]) {
      if (block.language === 'text' && block.words.length === 0) {
        await reader.sees(block)
        continue
      }
      const { text, failures, output } = await reader.read(withoutCiCommands(block))
      const exit = valueOf(block, 'exit')
      const expected = exit === undefined ? [] : [Number(exit)]
      expect(failures, `${page}:${block.line}\n${text}\n${output}`).toEqual(expected)
    }
  })

  it('that no test can run are listed, with a reason', () => {
    const marked = markdownPages().filter((page) =>
      blocksOf(page).some(({ words }) => words.includes('not-run')),
    )
    expect(marked).toEqual(Object.keys(NOT_RUN).toSorted())
  })

  it('that CI runs itself are steps of its script', () => {
    const steps = readRepositoryFile('.ci/run').split('\n')
    for (const command of RUN_BY_CI)
      expect(steps, command).toContainEqual(expect.stringMatching(`^step \\w+ ${command}$`))
  })
})

/** The block without slow commands that CI runs in the clone itself. */
function withoutCiCommands(fence: Fence): Fence {
  const lines = fence.text.split('\n').map((line) => {
    const [commands = ''] = line.split('#')
    const parts = commands.split('&&').map((part) => part.trim())
    const rest = parts.filter((part) => !RUN_BY_CI.includes(part))
    return rest.length === parts.length ? line : rest.join(' && ')
  })
  return { ...fence, text: lines.join('\n') }
}
