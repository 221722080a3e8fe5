import type { ReactElement, ReactNode } from 'react'
import { errorAt } from '../../../api/problem.ts'
import { Field, Select, TextArea, TextInput } from '../../../design/controls/field.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { shownText } from '../../../format/shown-text.ts'
import {
  AUTH_FIELDS,
  AUTH_KINDS,
  type AuthDraft,
  type AuthKind,
  authPointer,
  hasOtherTokenUrl,
} from './auth-draft.ts'

interface AuthEditorProps {
  readonly auth: AuthDraft
  readonly hasSameUrl: boolean
  readonly index: number
  readonly error: unknown
  readonly onChange: (auth: AuthDraft) => void
}

/** How requests to a webhook authenticate. Secrets are write-only. */
export function AuthEditor(props: AuthEditorProps): ReactElement {
  const { auth, hasSameUrl, index, error, onChange } = props
  const { kind, values, storedKind } = auth
  const at = `/settings/webhooks/${index}/auth`
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="sr-only">Authentication</legend>
      <Field
        label="Authentication"
        fieldError={errorAt(error, at) ?? errorAt(error, `${at}/${kind}`)}
      >
        {(ids) => (
          <Select
            {...ids}
            className="self-start"
            options={Object.entries(AUTH_KINDS)}
            value={kind}
            onPick={(picked) => onChange({ ...auth, kind: picked as AuthKind })}
          />
        )}
      </Field>
      {AUTH_FIELDS[kind].map(({ name, label, isSecret, isOptional }) => {
        const shared = {
          value: values[name] ?? '',
          onChange: ({ target }: { readonly target: { readonly value: string } }) =>
            onChange({ ...auth, values: { ...values, [name]: target.value } }),
        }
        const isStored = isSecret === true && storedKind === kind
        return (
          <Field
            key={name}
            label={label}
            hint={isStored ? storedHint(auth, name, hasSameUrl) : isOptional && 'Optional.'}
            fieldError={errorAt(error, authPointer(index, kind, name))}
          >
            {(ids) =>
              kind === 'clientCertificate' ? (
                <TextArea {...ids} {...shared} rows={3} placeholder="-----BEGIN …" />
              ) : (
                <TextInput
                  {...ids}
                  {...shared}
                  {...(isSecret && { type: 'password', autoComplete: 'new-password' })}
                />
              )
            }
          </Field>
        )
      })}
    </fieldset>
  )
}

function storedHint(auth: AuthDraft, name: string, hasSameUrl: boolean): ReactNode {
  const { certificate } = auth
  const words = !hasSameUrl
    ? 'Enter this again for the new URL.'
    : hasOtherTokenUrl(auth)
      ? 'Enter this again for the new token URL.'
      : 'Leave empty to keep the stored value.'
  if (name !== 'certificate' || certificate === undefined) return words
  const { subject, expiresAt } = certificate
  return (
    <>
      {shownText(subject, 100)}, {Date.parse(expiresAt) > Date.now() ? 'expires' : 'expired'}{' '}
      <Time at={expiresAt} />. {words}
    </>
  )
}
