import { createRegistry, OutcomeUnknownError } from '@agent-registry/client'
import { useEffect, useState } from 'react'

const registry = createRegistry(import.meta.env.VITE_GATEWAY ?? 'http://localhost:3000')

// A signed transaction stays here until its outcome is known, also if the page is reloaded.
const UNFINISHED = 'unfinished transaction'
const onSigned = (transaction) => sessionStorage.setItem(UNFINISHED, JSON.stringify(transaction))
const finish = async (work) => {
  const result = await work.catch((error) => {
    if (!(error instanceof OutcomeUnknownError)) sessionStorage.removeItem(UNFINISHED)
    throw error
  })
  sessionStorage.removeItem(UNFINISHED)
  return result
}

/** Signs in, and registers the agent of the wallet. */
export function Agent({ signer }) {
  const [message, setMessage] = useState('')
  const run = async (work) => setMessage(await work().catch((error) => error.message))

  const resume = async () => {
    const { status } = await finish(registry.transactions.resume(JSON.parse(sessionStorage[UNFINISHED])))
    return `The last transaction is ${status}`
  }
  useEffect(() => {
    if (UNFINISHED in sessionStorage) void run(resume)
  }, [])
  const signIn = async () => {
    await registry.sessions.signIn(signer)
    const webhooks = await registry.webhooks.list()
    return `Signed in, ${webhooks.length} webhooks`
  }
  const register = async (form) => {
    // It may still land. A second registration must not be signed before that is known.
    if (UNFINISHED in sessionStorage) return resume()
    const name = form.get('name')
    // The file that you publish at the URL.
    const card = JSON.stringify({ name })
    const cardUrl = 'https://agents.example.org/card.json'
    const registration = { name, category: 'research', cardUrl, card, inviteCode: form.get('code') }
    const { pda, transaction } = await finish(registry.agents.register(registration, signer, { onSigned }))
    return `${transaction.status}: ${pda}`
  }

  return (
    <>
      <p>Wallet {signer.address}</p>
      <button onClick={() => run(signIn)}>Sign in</button>
      <form action={(form) => run(() => register(form))}>
        <input name="name" placeholder="Name of the agent" required maxLength={32} />
        <input name="code" placeholder="Invite code" required />
        <button>Register</button>
      </form>
      <output>{message}</output>
    </>
  )
}
