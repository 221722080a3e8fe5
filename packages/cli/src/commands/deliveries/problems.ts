import type { ManagementApi } from '../../api/management-api.ts'
import { wrapLine } from '../../output/details.ts'
import type { Output } from '../../output/output.ts'
import { printableText } from '../../output/safe-text.ts'
import type { ApiCommand } from '../api-command.ts'

type Problem = Awaited<ReturnType<ManagementApi['listProblems']>>['data'][number]

export function addProblems(program: ApiCommand): void {
  program.api('problems', 'list the current problems, worst first').run(async ({ api, output }) => {
    const problems = await api.listProblems()
    output.data(problems, () =>
      problems.data.length === 0
        ? 'No problems.'
        : problems.data.map((problem) => problemText(output, problem)).join('\n\n'),
    )
  })
}

function problemText(output: Output, { condition, severity, since, causes }: Problem): string {
  const time = since === null ? '' : `, since ${output.time(since)}`
  return [
    output.style('bold', `${severity}: ${condition}${time}`),
    ...causes
      .flatMap(({ title, remedy }) => [
        `  ${title}`,
        ...(remedy === null ? [] : [`    → ${remedy}`]),
      ])
      .map(printableText),
  ]
    .map((line) => wrapLine(output, line))
    .join('\n')
}
