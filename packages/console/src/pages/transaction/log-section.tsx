import { CodeBlock, Section } from '../../ui/index.ts'

/** What the programs wrote while they ran. */
export function LogSection({ logs }: { readonly logs: readonly string[] }) {
  return (
    <Section title="Logs of the programs">
      {logs.length === 0 ? (
        <p>The programs wrote nothing.</p>
      ) : (
        <CodeBlock code={logs.join('\n')} label="Logs" />
      )}
    </Section>
  )
}
