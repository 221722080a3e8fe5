/** `created destination` for `createDestination` */
export function describeAction(action: string): string {
  const [verb = '', ...rest] = action.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  return [pastOf(verb), ...rest].join(' ').replace('sign in', 'sign-in')
}

function pastOf(verb: string): string {
  if (verb === 'cancel') return 'cancelled'
  if (verb.endsWith('y')) return `${verb.slice(0, -1)}ied`
  return verb.endsWith('e') ? `${verb}d` : `${verb}ed`
}
