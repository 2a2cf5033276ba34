/**
 * @file mission/ssh_keygen.h
 * @brief Signatures of answers (SSHSIG, namespace `pawl`), made and verified by OpenSSH's
 * ssh-keygen.
 */
#pragma once

#include "pipeline/signed.h"

/**
 * pawl__sign_fn; @p user is the name of a key's file: a private key, or a public one whose private
 * half is in ssh-agent. A passphrase, or a touch of a token, is asked for on the terminal, up to
 * two minutes.
 */
PAWL_MUST_CHECK pawl_status pawl__ssh_sign(
        pawl__buf *signature, pawl_text text, pawl_text actor, void *user, pawl_error *err);

/** pawl__verify_fn. Needs no terminal; writes no file. */
PAWL_MUST_CHECK pawl_status pawl__ssh_verify(pawl_text text, pawl_text signature, pawl_text actor,
        pawl_text signers, int64_t at_us, pawl_error *err);
