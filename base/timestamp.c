#include "base/timestamp.h"
#include "base/crypto.h"
#include "base/error.h"
#include <limits.h>
#include <string.h>

static bool set_imprint(const pawl__crypto *crypto, TS_MSG_IMPRINT *imprint, unsigned char *hash)
{
        X509_ALGOR *algorithm = crypto->X509_ALGOR_new();
        const bool set = algorithm &&
                         crypto->X509_ALGOR_set0(algorithm, crypto->OBJ_nid2obj(NID_sha256),
                                 V_ASN1_NULL, NULL) == 1 &&
                         crypto->TS_MSG_IMPRINT_set_algo(imprint, algorithm) == 1 &&
                         crypto->TS_MSG_IMPRINT_set_msg(imprint, hash, PAWL__HASH_LEN) == 1;

        crypto->X509_ALGOR_free(algorithm);
        return set;
}

static pawl_status write_query(
        pawl__buf *out, const pawl__crypto *crypto, unsigned char *hash, pawl_error *err)
{
        TS_REQ *query = crypto->TS_REQ_new();
        TS_MSG_IMPRINT *imprint = crypto->TS_MSG_IMPRINT_new();
        unsigned char *der = NULL;
        int len = -1;

        if (query && imprint && set_imprint(crypto, imprint, hash) &&
                crypto->TS_REQ_set_version(query, 1) == 1 &&
                crypto->TS_REQ_set_msg_imprint(query, imprint) == 1 &&
                crypto->TS_REQ_set_cert_req(query, 1) == 1)
                len = crypto->i2d_TS_REQ(query, &der);
        const bool made = len > 0 && !pawl__buf_add(out, (const char *)der, (size_t)len);
        crypto->CRYPTO_free(der, __FILE__, __LINE__);
        crypto->TS_MSG_IMPRINT_free(imprint);
        crypto->TS_REQ_free(query);
        return made ? PAWL_OK : pawl__nomem(err);
}

pawl_status pawl__timestamp_query(
        pawl__buf *out, const unsigned char hash[PAWL__HASH_LEN], pawl_error *err)
{
        const pawl__crypto *crypto;
        unsigned char copy[PAWL__HASH_LEN];
        pawl_status status = pawl__crypto_load(&crypto, err);

        if (status)
                return status;
        memcpy(copy, hash, sizeof copy);
        crypto->ERR_set_mark();
        status = write_query(out, crypto, copy, err);
        crypto->ERR_pop_to_mark();
        return status;
}

static pawl_status check(
        const pawl__crypto *crypto, TS_RESP *answer, const unsigned char *hash, pawl_error *err)
{
        if (!answer)
                return pawl__fail(err, PAWL_EPARSE,
                        "not the answer of a time-stamping authority (RFC 3161, DER); give what it "
                        "sent");
        const long status = crypto->ASN1_INTEGER_get(
                crypto->TS_STATUS_INFO_get0_status(crypto->TS_RESP_get_status_info(answer)));
        TS_TST_INFO *info = crypto->TS_RESP_get_tst_info(answer);
        if (status < 0 || status > 1 || !info) /* granted, or granted with changes */
                return pawl__fail(err, PAWL_EINVAL,
                        "the authority did not grant the timestamp; see `openssl ts -reply -text "
                        "-in FILE`");
        ASN1_OCTET_STRING *over =
                crypto->TS_MSG_IMPRINT_get_msg(crypto->TS_TST_INFO_get_msg_imprint(info));
        if (crypto->ASN1_STRING_length(over) != PAWL__HASH_LEN ||
                memcmp(crypto->ASN1_STRING_get0_data(over), hash, PAWL__HASH_LEN) != 0)
                return pawl__fail(err, PAWL_EINVAL,
                        "the timestamp is over something else; send the query of this note, and "
                        "give its answer");
        return PAWL_OK;
}

pawl_status pawl__timestamp_check(
        pawl_text answer, const unsigned char hash[PAWL__HASH_LEN], pawl_error *err)
{
        const pawl__crypto *crypto;
        const unsigned char *at = (const unsigned char *)answer.data;
        TS_RESP *read = NULL;
        pawl_status status = pawl__crypto_load(&crypto, err);

        if (status)
                return status;
        crypto->ERR_set_mark();
        if (answer.len && answer.len <= INT_MAX)
                read = crypto->d2i_TS_RESP(NULL, &at, (long)answer.len);
        status = check(crypto, read, hash, err);
        crypto->TS_RESP_free(read);
        crypto->ERR_pop_to_mark();
        return status;
}
