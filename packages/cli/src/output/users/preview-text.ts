import type { ManagementApi } from '../../api/management-api.ts'
import { countText } from '../figures.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'

export type Preview = Awaited<ReturnType<ManagementApi['previewAudience']>>

export function previewText(output: Output, preview: Preview): string {
  const { size, isExact, sample, reachesBackTo } = preview
  const lines = sample.map(({ userId, value }) => {
    const shown = value === true ? '' : `  ${JSON.stringify(value)}`
    return printableText(`  ${userId ?? 'a user without a userId'}${shown}`)
  })
  return [
    output.style('bold', `${isExact ? '' : 'About '}${countText(size, 'user')}`),
    ...lines,
    ...(size > sample.length && sample.length > 0 ? ['  …'] : []),
    ...(reachesBackTo === null ? [] : [`Based on events since ${reachesBackTo}.`]),
  ].join('\n')
}
