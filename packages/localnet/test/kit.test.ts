import {
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system'
import {
  appendTransactionMessageInstructions,
  assertIsTransactionWithDurableNonceLifetime,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  type Nonce,
  pipe,
  sendAndConfirmDurableNonceTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { expect, it } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { startTestLedger, type TestLedger } from './ledger.ts'

const config = { commitment: 'confirmed' } as const

async function kitClient(ledger: TestLedger) {
  const rpc = createSolanaRpc(ledger.net.rpcUrl)
  const wallet = await ledger.wallet()
  const payer = await createKeyPairSignerFromBytes(wallet.secretKey)
  const signed = async (instructions: Instruction[]) => {
    const { value } = await rpc.getLatestBlockhash(config).send()
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (tx) => setTransactionMessageFeePayerSigner(payer, tx),
      (tx) => setTransactionMessageLifetimeUsingBlockhash(value, tx),
      (tx) => appendTransactionMessageInstructions(instructions, tx),
    )
    return signTransactionMessageWithSigners(message)
  }
  return { rpc, payer, signed }
}

async function createNonce(payer: KeyPairSigner) {
  const account = await generateKeyPairSigner()
  const instructions = [
    getCreateAccountInstruction({
      payer,
      newAccount: account,
      lamports: lamports(2_000_000n),
      space: 80,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: account.address, nonceAuthority: payer.address }),
  ]
  return { account, instructions }
}

it('the client kit reads parsed transactions, parsed accounts and parsed simulations', async () => {
  await using ledger = await startTestLedger()
  const { rpc, payer, signed } = await kitClient(ledger)
  const { account, instructions } = await createNonce(payer)
  const transaction = await signed(instructions)
  const wire = getBase64EncodedWireTransaction(transaction)
  const simulation = await rpc
    .simulateTransaction(wire, { encoding: 'base64', innerInstructions: true, ...config })
    .send()
  expect(simulation.value).toMatchObject({ err: null, innerInstructions: [] })
  await rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send()
  ledger.net.stepSlot()
  const shown = await rpc
    .getTransaction(getSignatureFromTransaction(transaction), {
      encoding: 'jsonParsed',
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
      ...config,
    })
    .send()
  const [create, initialize] = shown?.transaction.message.instructions ?? []
  expect(create).toMatchObject({ accounts: [payer.address, account.address] })
  expect(initialize).toMatchObject({ programId: create?.programId })
  const info = await rpc.getAccountInfo(account.address, { encoding: 'jsonParsed', ...config }).send()
  expect(info.value?.data).toMatchObject({
    program: 'nonce',
    parsed: { type: 'initialized', info: { authority: payer.address } },
  })
  const block = await rpc
    .getBlock(shown?.slot ?? 0n, {
      encoding: 'jsonParsed',
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
      ...config,
    })
    .send()
  expect(block?.transactions).toHaveLength(1)
})

it('the client kit sends and confirms a transaction with a durable nonce', async () => {
  await using ledger = await startTestLedger({ slotMs: 20 })
  const { rpc, payer, signed } = await kitClient(ledger)
  const { account, instructions } = await createNonce(payer)
  const wire = getBase64EncodedWireTransaction(await signed(instructions))
  await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
  ledger.net.stepSlot(2)
  const info = await rpc.getAccountInfo(account.address, { encoding: 'jsonParsed', ...config }).send()
  const stored = info.value?.data as { parsed: { info: { blockhash: Nonce } } } | undefined
  const to = await generateKeyPairSigner()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (tx) => setTransactionMessageFeePayerSigner(payer, tx),
    (tx) =>
      setTransactionMessageLifetimeUsingDurableNonce(
        {
          nonce: stored?.parsed.info.blockhash ?? ('' as Nonce),
          nonceAccountAddress: account.address,
          nonceAuthorityAddress: payer.address,
        },
        tx,
      ),
    (tx) =>
      appendTransactionMessageInstructions(
        [getTransferSolInstruction({ source: payer, destination: to.address, amount: 1_000_000_000n })],
        tx,
      ),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  assertIsTransactionWithDurableNonceLifetime(transaction)
  ledger.net.stepSlot(200)
  const rpcSubscriptions = createSolanaRpcSubscriptions(ledger.net.wsUrl)
  const sendAndConfirm = sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions })
  await sendAndConfirm(transaction, config)
  expect((await rpc.getBalance(to.address, config).send()).value).toBe(1_000_000_000n)
})
