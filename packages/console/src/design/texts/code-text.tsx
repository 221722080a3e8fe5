import { Fragment, type ReactElement } from 'react'

/** Text whose parts between backticks are code. */
export function CodeText({ text }: { readonly text: string }): ReactElement {
  const parts = text.split('`')
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
      )}
    </>
  )
}
