import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { jsonObjectIn } from '../../options/json-file.ts'
import { outputOf } from '../../output/output.ts'
import { noteWarnings } from '../../output/warnings.ts'

type ImportConfiguration = ManagementApi['importConfiguration']
type Diff = Awaited<ReturnType<ImportConfiguration>>

const HINT = 'Give a file that `hookline export` wrote.'

/** `hookline import-config` */
export function addImportConfig(program: Command): void {
  withApiOptions(program.command('import-config <file>'))
    .description(
      'create and change sources, destinations, audiences and computed traits to match a document of `hookline export`',
    )
    .option('--dry-run', 'show what would change, but change nothing')
    .action(async (file: string, { dryRun }: { dryRun?: true }, command: Command) => {
      // The service validates the document, and reports every fault.
      const document = await jsonObjectIn(file, HINT)
      const query = dryRun ? { dryRun: 'true' as const } : {}
      const diff = await apiOf(command).importConfiguration(
        document as unknown as Parameters<ImportConfiguration>[0],
        query,
      )
      const output = outputOf(command)
      output.data(diff, () => diffText(diff))
      noteWarnings(output, diff.warnings)
    })
}

function diffText({ dryRun, created, changed, unchanged, notInDocument }: Diff): string {
  const lines = [
    ...created.map((id) => `+ ${id}`),
    ...changed.map(({ id, fields }) => `~ ${id}: ${fields.join(', ')}`),
    ...notInDocument.map((id) => `  ${id} is not in the document, and is kept`),
  ]
  const verb = dryRun ? 'would be ' : ''
  const summary = `${created.length} ${verb}created, ${changed.length} ${verb}changed, ${unchanged.length} unchanged.`
  return [...lines, summary].join('\n')
}
