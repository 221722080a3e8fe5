import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { CurrentProblem } from './current-problem.ts'

/** The ids that were not linked in the last 24 hours, by reason. */
export interface UnlinkedOfSource {
  readonly sourceId: string
  readonly name: string | undefined
  readonly unlinked: Readonly<Record<string, number>>
}

/** Omits `other_user`, an anonymousId of another user: people share devices. */
export function identityProblems(sources: readonly UnlinkedOfSource[]): CurrentProblem[] {
  return sources.flatMap(({ sourceId, name, unlinked }) => {
    const { placeholder = 0, limit = 0 } = unlinked
    const source = shownText(name ?? sourceId, 80)
    const problems: CurrentProblem[] = []
    if (placeholder > 0)
      problems.push({
        key: `placeholder ${sourceId}`,
        severity: 'attention',
        title: `${source}: ${counted(placeholder, 'call')} in the last 24 hours had a placeholder ID, such as undefined or 0.`,
        remedy: 'Make the client omit IDs that it does not have. Placeholder IDs are never linked.',
        to: sourceId === '' ? '/sources' : `/sources?source=${sourceId}`,
      })
    if (limit > 0)
      problems.push({
        key: `links ${sourceId}`,
        severity: 'attention',
        title: `${source}: ${counted(limit, 'ID')} in the last 24 hours exceeded the limit per profile and ${limit === 1 ? 'was' : 'were'} not linked.`,
        remedy:
          'Check the largest profiles. The usual cause is a userId that many people share, such as a test account.',
        to: '/users?order=largest',
      })
    return problems
  })
}
