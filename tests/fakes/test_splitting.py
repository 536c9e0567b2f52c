from fake_providers.reply import pieces

TEXT = "Oslo has seven degrees and some rain."


def test_given_pieces_are_kept_unless_the_split_is_another():
    assert pieces("Oslo", "given", given=("O", "slo")) == ("O", "slo")
    assert pieces("Oslo", "whole", given=("O", "slo")) == ("Oslo",)


def test_a_text_without_pieces_of_its_own_is_cut_as_the_provider_cuts():
    assert pieces(TEXT, "given", size=5) == pieces(TEXT, "provider", size=5) != (TEXT,)
