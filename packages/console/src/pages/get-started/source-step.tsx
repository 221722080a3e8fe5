import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { problemOf } from '../../api/problem.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { shownText } from '../../format/shown-text.ts'

const FIRST_NAME = 'My app'

/** The source with its write key, or the button that creates one. */
export function SourceStep({ source }: { readonly source: Source | undefined }): ReactElement {
  const client = useQueryClient()
  const mayEdit = useMay('editor')
  const create = useMutation({
    mutationFn: () => api.createSource({ name: FIRST_NAME }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sources'] }),
  })
  if (source !== undefined)
    return (
      <p>
        <strong>{shownText(source.name)}</strong> takes calls with the write key{' '}
        <span className="inline-flex items-center">
          <code className="text-dense">{source.writeKeys[0]!.key}</code>
          <CopyButton text={source.writeKeys[0]!.key} what="the write key" />
        </span>
      </p>
    )
  if (!mayEdit) return <p>There is no source. Your role may not create one: ask an editor.</p>
  return (
    <>
      <p className="text-ink-soft">
        An app, a website, or a server. Its write key says whose events they are; it is no secret.
      </p>
      <div>
        <Button look="main" isBusy={create.isPending} onClick={() => create.mutate()}>
          Create a source
        </Button>
      </div>
      {create.error && <p className="text-failed">{problemOf(create.error).message}</p>}
    </>
  )
}
