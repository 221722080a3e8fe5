import { type Fence, fencesIn } from '@hookline/testing/pages/fences'

/** The starting point of most guides: a running service with a source, a destination and an event. */
export const SOURCE_AND_DESTINATION: readonly Fence[] = fencesIn(`
\`\`\`sh background
npx hookline start --data-dir ./data --allowed-networks 127.0.0.0/8
\`\`\`

\`\`\`sh background
npx hookline listen
\`\`\`

\`\`\`sh
npx hookline sources create "My shop"
\`\`\`

\`\`\`sh
npx hookline destinations create --source src_… --webhook http://127.0.0.1:4801/ --secret s3cret --enabled
npx hookline send track "Order Completed" --user u1 --write-key wk_…
\`\`\`
`)

/** Whether the page itself starts a service. */
export function startsService(blocks: readonly Fence[]): boolean {
  return blocks.some(({ text }) => /hookline (start|dev|demo)\b|npm (start|run demo)\b/.test(text))
}
