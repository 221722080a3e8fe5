import { Option } from 'commander'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { fingerprintOf } from '../../import/fingerprint.ts'
import { ProgressDisplay } from '../../import/progress-display.ts'
import { RejectedFile } from '../../import/rejected-file.ts'
import { rejectedPath, rejectedText } from '../../import/run-import.ts'
import { confirm } from '../../options/confirmation.ts'
import { countText, durationText } from '../../output/figures.ts'
import type { Output } from '../../output/output.ts'
import { stopSignal } from '../../service/stop-signal.ts'
import { ListImporter, type ListMode } from '../../user-list/list-importer.ts'
import { userParser } from '../../user-list/parse-user-line.ts'
import type { ApiCommand } from '../api-command.ts'

const HELP = `
A CSV file has one user per line, in UTF-8. The userId is in the column named
userId, user_id, "user id" or id, otherwise in the first column. Commas separate
columns; after a header with one of these names, semicolons or tabs also work.
A .ndjson or .jsonl file has a string, or an object with a userId, on each line.

Users who are already members are not changed, so importing a file again is
safe. Rejected lines and reasons go to <file>.rejected.ndjson.`

interface ListImportCommandOptions {
  readonly remove?: true
  readonly replace?: true
}

export function addListImport(audiences: ApiCommand): void {
  audiences
    .api('import <id> <file>', 'add the users in a file to a manual audience')
    .confirmed('--replace')
    .option('--remove', 'remove the users in the file instead of adding them')
    .addOption(
      new Option('--replace', 'also remove users who are not in the file').conflicts('remove'),
    )
    .addHelpText('after', HELP)
    .runOn(
      'audience',
      async ({ api, output, command }, id, file: string, options: ListImportCommandOptions) => {
        const startedAt = performance.now()
        const interrupted = new AbortController()
        void stopSignal().then(() => interrupted.abort())
        if (options.replace) await confirm(command, () => replaceEffect(api, id, file))
        const { bytes: totalBytes } = await fingerprintOf(file)
        // An empty file may be the result of a failed export.
        if (totalBytes === 0) throw new Failure('usage', `${file} is empty. Nothing was changed.`)
        await using rejectedFile = await RejectedFile.open(rejectedPath(file), 0)
        const mode = options.remove ? 'remove' : options.replace ? 'replace' : 'add'
        const importer = new ListImporter({
          path: file,
          totalBytes,
          parse: userParser(file),
          mode,
          rejectedFile,
          change: (change) => api.changeMembers(id, change),
          listed: () => listedUserPages(api, id),
        })
        let isComplete: boolean
        {
          using _display = new ProgressDisplay(() => importer.progress)
          isComplete = await importer.run(interrupted.signal)
        }
        const elapsedMs = Math.round(performance.now() - startedAt)
        report(output, { importer, file, isComplete, elapsedMs, mode })
      },
    )
}

async function replaceEffect(api: ManagementApi, id: string, file: string): Promise<string> {
  const { name, size } = await api.getAudience(id)
  return `This removes every member of the audience ${JSON.stringify(name)} (${id}) who is not in ${file}. The audience has ${countText(size, 'member')}.`
}

interface ListImportResult {
  readonly importer: ListImporter
  readonly file: string
  readonly isComplete: boolean
  readonly elapsedMs: number
  readonly mode: ListMode
}

/** @throws {Failure} if the import was interrupted, or a line was rejected */
function report(output: Output, result: ListImportResult): void {
  const { importer, file, isComplete, elapsedMs, mode } = result
  const { rejected } = importer.progress
  const { users, removed } = importer.counts
  output.data(
    { kind: 'result', complete: isComplete, mode, users, removed, rejected, elapsedMs },
    () => {
      const verb = mode === 'remove' ? 'Removed' : 'Added'
      const others = mode === 'replace' ? `, removed ${countText(removed, 'other')}` : ''
      return `${verb} ${countText(users, 'user')}${others} in ${durationText(elapsedMs / 1000)}.`
    },
  )
  const hint = 'Run the same command again to complete the import.'
  if (!isComplete) throw new Failure('interrupted', 'Interrupted.', { hint })
  if (rejected === 0) return
  const kept =
    mode === 'replace'
      ? ' No users were removed, because a rejected line may name a member to keep.'
      : ''
  throw new Failure('partial', `${rejectedText(rejected)}${kept}`, {
    hint: `${rejectedPath(file)} lists each rejected line with its number and reason.`,
  })
}

async function* listedUserPages(api: ManagementApi, id: string): AsyncGenerator<readonly string[]> {
  let cursor: string | undefined
  do {
    const page = await api.listListedUsers(id, { limit: 200, ...(cursor && { cursor }) })
    yield page.data.map(({ userId }) => userId)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
